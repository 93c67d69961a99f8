// server is what stands behind the proxies that are measured.
//
//   server echo   gives back what it reads
//   server sink   drops what it reads
//
// At the end of input it reports, in one line of output, what it saw and the CPU time it used.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char buf[1 << 18];

int main(int argc, char **argv) {
	int echo = argc > 1 && !strcmp(argv[1], "echo");
	long long bytes = 0, lines = 0;
	for (;;) {
		ssize_t n = read(0, buf, sizeof buf);
		if (n < 0 && errno == EINTR) continue;
		if (n <= 0) break;
		bytes += n;
		for (ssize_t done = 0; echo && done < n;) {
			ssize_t k = write(1, buf + done, n - done);
			if (k < 0 && errno == EINTR) continue;
			if (k < 0) return 1;
			done += k;
		}
		for (char *p = buf; (p = memchr(p, '\n', buf + n - p)); p++) lines++;
	}
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	char line[256];
	int n = snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"method\":\"done\",\"params\":{\"bytes\":%lld,\"lines\":%lld,\"cpu_ns\":%lld}}\n",
		bytes, lines, t.tv_sec * 1000000000LL + t.tv_nsec);
	return write(1, line, n) != n;
}
