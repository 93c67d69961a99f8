// client starts a command over pipes and measures it from the client's side.
//
//   client ping  COUNT SIZE COMMAND...            round trips of one message, one after the other
//   client flood COUNT SIZE PER_WRITE COMMAND...  messages one way, PER_WRITE of them in each write
//   client start COUNT COMMAND...                 start to end of the command, COUNT times
//
// Figures go to standard output, a name and a number a line. The command's server must be `server`
// of this folder: it echoes or counts, and reports at the end of input what it saw and its own CPU.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) {
	fprintf(stderr, "client: %s: %s\n", what, errno ? strerror(errno) : "wrong");
	exit(1);
}

static int64_t ns(clockid_t clock) {
	struct timespec t;
	if (clock_gettime(clock, &t)) die("clock_gettime");
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int64_t now(void) { return ns(CLOCK_MONOTONIC); }

static int64_t cpu(const struct rusage *r) {
	return (r->ru_utime.tv_sec + r->ru_stime.tv_sec) * 1000000000LL + (r->ru_utime.tv_usec + r->ru_stime.tv_usec) * 1000LL;
}

static void rest(long ms) {
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};
	while (nanosleep(&t, &t) && errno == EINTR) {}
}

static pid_t child;
static int to, from; // the command's standard input and output

// spawn forks while this process is still small: what it has in memory at that moment counts as a
// peak of the command's.
static void spawn(char **command) {
	int in[2], out[2];
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) die("pipe");
	if ((child = fork()) < 0) die("fork");
	if (child == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to = in[1];
	from = out[0];
}

static void put(const char *p, size_t n) {
	while (n > 0) {
		ssize_t k = write(to, p, n);
		if (k < 0 && errno == EINTR) continue;
		if (k < 0) die("write");
		p += k;
		n -= k;
	}
}

static void get(char *p, size_t n) {
	while (n > 0) {
		ssize_t k = read(from, p, n);
		if (k < 0 && errno == EINTR) continue;
		if (k <= 0) die("the command's output ended");
		p += k;
		n -= k;
	}
}

// The id has nine digits and stands at a fixed place, so that each message can have its own.
#define BEFORE_ID "{\"jsonrpc\":\"2.0\",\"id\":"
#define AFTER_ID ",\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\""
#define BEHIND "\"}}}\n"

static void fill(char *p, long size) {
	long least = strlen(BEFORE_ID) + 9 + strlen(AFTER_ID) + strlen(BEHIND);
	if (size < least) die("the message is too short");
	char *q = p + sprintf(p, BEFORE_ID "%09d" AFTER_ID, 0);
	char *end = p + size - strlen(BEHIND);
	for (int i = 0; q < end; i++) *q++ = i % 6 == 5 ? ' ' : 'a' + i * 7 % 26;
	memcpy(end, BEHIND, strlen(BEHIND));
}

static void number(char *p, long n) {
	p += strlen(BEFORE_ID);
	n += 100000000; // a JSON number has no leading zeros
	for (int i = 8; i >= 0; i--, n /= 10) p[i] = '0' + n % 10;
}

// report reads the server's last line: "bytes lines cpu_ns".
static void report(int64_t *bytes, int64_t *server_cpu) {
	char line[256];
	size_t n = 0;
	while (n < sizeof line - 1) {
		ssize_t k = read(from, line + n, 1);
		if (k < 0 && errno == EINTR) continue;
		if (k <= 0) die("no report of the server");
		if (line[n] == '\n') break;
		n++;
	}
	line[n] = 0;
	long long b, l, c;
	if (sscanf(line, "{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":{\"bytes\":%lld,\"lines\":%lld,\"cpu_ns\":%lld", &b, &l, &c) != 3)
		die("report of the server");
	*bytes = b;
	*server_cpu = c;
}

static struct rusage reap(void) {
	struct rusage r;
	int status;
	while (wait4(child, &status, 0, &r) < 0)
		if (errno != EINTR) die("wait");
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "client: the command ended with status %#x\n", status);
		exit(1);
	}
	return r;
}

static int ascending(const void *a, const void *b) {
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static void ping(long count, long size, char **command) {
	spawn(command);
	long warm = count / 8 + 200;
	char *out = malloc(size), *in = malloc(size);
	int64_t *took = malloc(count * sizeof *took);
	clockid_t clock;
	int64_t before = 0;
	fill(out, size);
	for (long i = -warm; i < count; i++) {
		if (i == 0) {
			// What a recorder does behind the traffic belongs to the messages that caused it.
			rest(30);
			if (clock_getcpuclockid(child, &clock)) die("CPU clock of the command");
			before = ns(clock);
		}
		number(out, i + warm);
		int64_t began = now();
		put(out, size);
		get(in, size);
		if (i >= 0) took[i] = now() - began;
		if (memcmp(in, out, size)) die("echo");
	}
	rest(30);
	int64_t used = ns(clock) - before;
	close(to);
	int64_t bytes, server;
	report(&bytes, &server);
	if (bytes != (count + warm) * size) die("count of bytes");
	reap();
	qsort(took, count, sizeof *took, ascending);
	printf("p50 %lld\np99 %lld\ncpu %lld\n", (long long)took[count / 2], (long long)took[count * 99 / 100], (long long)(used / (2 * count)));
}

static void flood(long count, long size, long batch, char **command) {
	spawn(command);
	char *p = malloc(size * batch);
	for (long i = 0; i < batch; i++) fill(p + i * size, size);
	rest(200); // let all of them start
	int64_t began = now();
	for (long i = 0; i < count; i += batch) {
		if (batch > count - i) batch = count - i;
		for (long k = 0; k < batch; k++) number(p + k * size, i + k);
		put(p, size * batch);
	}
	close(to);
	int64_t bytes, server;
	report(&bytes, &server);
	int64_t arrived = now() - began;
	if (bytes != count * size) die("count of bytes");
	struct rusage r = reap();
	int64_t ended = now() - began;
	printf("arrived %lld\nended %lld\ncpu %lld\npeak %ld\n", (long long)arrived, (long long)ended,
		(long long)((cpu(&r) - server) / count), r.ru_maxrss * 1024);
}

static void start(long count, char **command) {
	int64_t best = INT64_MAX, least = INT64_MAX;
	for (long i = 0; i < count; i++) {
		int64_t began = now();
		spawn(command);
		char b[4096];
		while (read(from, b, sizeof b) > 0) {}
		struct rusage r = reap();
		int64_t took = now() - began;
		close(to);
		close(from);
		if (took < best) best = took;
		if (cpu(&r) < least) least = cpu(&r);
	}
	printf("wall %lld\ncpu %lld\n", (long long)best, (long long)least);
}

int main(int argc, char **argv) {
	if (argc > 4 && !strcmp(argv[1], "ping")) ping(atol(argv[2]), atol(argv[3]), argv + 4);
	else if (argc > 5 && !strcmp(argv[1], "flood")) flood(atol(argv[2]), atol(argv[3]), atol(argv[4]), argv + 5);
	else if (argc > 3 && !strcmp(argv[1], "start")) start(atol(argv[2]), argv + 3);
	else {
		errno = 0;
		die("usage");
	}
	return 0;
}
