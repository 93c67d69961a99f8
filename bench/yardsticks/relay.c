// relay is the least that a man in the middle can do: a thread for each direction that reads and
// writes on. With -r FILE it also keeps what passes, each chunk behind a time and a direction: no
// framing, no checks, no digest.
//
//   relay [-r FILE] COMMAND...
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536

static int file = -1;

struct way {
	int from, to;
	char name;
};

static void keep(struct way *w, char *p, size_t n) {
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	char head[64];
	int k = snprintf(head, sizeof head, "%lld.%09ld %c %zu\n", (long long)t.tv_sec, t.tv_nsec, w->name, n);
	struct iovec parts[] = {{head, k}, {p, n}};
	if (writev(file, parts, 2) != (ssize_t)(k + n)) {
		perror("relay: recording");
		exit(1);
	}
}

static void *carry(void *arg) {
	struct way *w = arg;
	char *p = malloc(CHUNK);
	for (;;) {
		ssize_t n = read(w->from, p, CHUNK);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) break;
		for (ssize_t done = 0; done < n;) {
			ssize_t k = write(w->to, p + done, n - done);
			if (k < 0 && errno == EINTR) continue;
			if (k < 0) goto end;
			done += k;
		}
		if (file >= 0) keep(w, p, n);
	}
end:
	close(w->to);
	return NULL;
}

int main(int argc, char **argv) {
	char **command = argv + 1;
	if (argc > 3 && !strcmp(argv[1], "-r")) {
		if ((file = open(argv[2], O_CREAT | O_WRONLY | O_TRUNC | O_APPEND | O_CLOEXEC, 0600)) < 0) {
			perror(argv[2]);
			return 1;
		}
		command = argv + 3;
	}
	int in[2], out[2];
	if (!*command || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) return 1;
	pid_t server = fork();
	if (server == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	struct way up = {0, in[1], '>'}, down = {out[0], 1, '<'};
	pthread_t a, b;
	pthread_create(&a, NULL, carry, &up);
	pthread_create(&b, NULL, carry, &down);
	pthread_join(b, NULL);
	int status;
	waitpid(server, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
