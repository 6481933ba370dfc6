/* handler.c - run a program once, in a clean place, for a limited time.
 *
 * The parent waits in one place, ppoll(), for three things: the program takes
 * input, it has printed something, or it has ended (SIGCHLD, which is blocked
 * everywhere else, so that none is missed). */
#define _GNU_SOURCE /* pipe2, ppoll, close_range */

#include "handler.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Not the caller's: what is run must not depend on who runs it. */
static char *const environment[] = {
	(char[]){ "PATH=/usr/local/bin:/usr/bin:/bin" },
	NULL,
};

typedef struct child {
	pid_t pid;
	int to;   /* its standard input; -1 once closed */
	int from; /* its standard output; the same */
} child;

/* ---- the child ---- */

/* Everything but the first three. */
static void
close_others(void)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
		return;
#endif
	/* Before Linux 5.9: slow where many are allowed. */
	long most = sysconf(_SC_OPEN_MAX);
	for (int fd = 3; fd < most; fd++)
		close(fd);
}

static void
default_signals(void)
{
	sigset_t none;
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL); /* not all can, and those need not */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* From fork() to the program. All three descriptors are above 2. */
static _Noreturn void
become(const handler *h, int in, int out, int err)
{
	setpgid(0, 0);
	default_signals();
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(err, STDERR_FILENO) < 0)
		_exit(127);
	close_others();
	execve(h->argv[0], h->argv, environment);
	_exit(127);
}

/* ---- starting it ---- */

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Above the standard three, one of which may be free: the parent may have been
 * started without it. */
static bool
lift(int *fd)
{
	if (*fd > STDERR_FILENO)
		return true;
	int lifted = *fd < 0 ? -1 : fcntl(*fd, F_DUPFD_CLOEXEC, 3);
	close_fd(fd);
	*fd = lifted;
	return lifted >= 0;
}

static bool
does_not_block(int fd)
{
	return fcntl(fd, F_SETFL, O_NONBLOCK) == 0;
}

typedef struct plumbing {
	int in[2], out[2]; /* pipes: read here, write there */
	int null;
} plumbing;

static bool
lay(plumbing *p)
{
	*p = (plumbing){ { -1, -1 }, { -1, -1 }, -1 };
	if (pipe2(p->in, O_CLOEXEC) != 0 || pipe2(p->out, O_CLOEXEC) != 0)
		return false;
	p->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	return lift(&p->in[0]) && lift(&p->in[1]) && lift(&p->out[0]) &&
	       lift(&p->out[1]) && lift(&p->null) && does_not_block(p->in[1]) &&
	       does_not_block(p->out[0]);
}

static void
tear(plumbing *p)
{
	close_fd(&p->in[0]);
	close_fd(&p->in[1]);
	close_fd(&p->out[0]);
	close_fd(&p->out[1]);
	close_fd(&p->null);
}

static bool
start(child *c, const handler *h)
{
	plumbing p;
	bool laid = lay(&p);
	c->pid = laid ? fork() : -1;
	if (c->pid == 0)
		become(h, p.in[0], p.out[1], p.null);

	int error = errno;
	c->to = c->from = -1;
	if (c->pid > 0) {
		setpgid(c->pid, c->pid); /* both do: neither is first */
		c->to = p.in[1];
		c->from = p.out[0];
		p.in[1] = p.out[0] = -1;
	}
	tear(&p);
	if (c->pid < 0)
		cli_warn(h->command, "cannot start the handler: %s",
		         strerror(error));
	return c->pid > 0;
}

/* ---- while it runs ---- */

/* Write what it takes; close when all is written or nobody reads. */
static void
feed(child *c, wkg_span *in)
{
	ssize_t n = in->len == 0 ? 0 : write(c->to, in->ptr, in->len);
	if (n > 0) {
		in->ptr += n;
		in->len -= (size_t)n;
	}
	bool later = n < 0 && (errno == EAGAIN || errno == EINTR);
	if (in->len == 0 || (n < 0 && !later))
		close_fd(&c->to);
}

/* Read what there is. What does not fit is read, too, and forgotten: a program
 * that talks much must not hang or die in the middle of its work. False if
 * nothing can be read now. */
static bool
collect(child *c, handler *h, wkg_buf *out)
{
	uint8_t chunk[4096];
	ssize_t n = c->from < 0 ? 0 : read(c->from, chunk, sizeof(chunk));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		close_fd(&c->from);
		return false;
	}
	size_t room = out->cap - out->len;
	size_t kept = (size_t)n < room ? (size_t)n : room;
	memcpy(out->ptr + out->len, chunk, kept);
	out->len += kept;
	h->cut = h->cut || kept < (size_t)n;
	return true;
}

static int64_t
milliseconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* It stays a zombie: as long as it is there, nobody else can get its number,
 * which is also the number of the group to kill. */
static bool
has_ended(const child *c)
{
	siginfo_t info;
	memset(&info, 0, sizeof(info));
	return waitid(P_PID, (id_t)c->pid, &info,
	              WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == c->pid;
}

/* Until it ends or its time is up. Did it end? `awake` has SIGCHLD in it. */
static bool
attend(child *c, handler *h, wkg_span in, wkg_buf *out, const sigset_t *awake)
{
	const int64_t end = milliseconds() + h->timeout_ms;
	while (!has_ended(c)) {
		int64_t left = end - milliseconds();
		if (left <= 0)
			return false;
		struct timespec wait = { (time_t)(left / 1000),
			                 (long)(left % 1000) * 1000000 };
		struct pollfd fds[] = { { c->to, POLLOUT, 0 },
			                { c->from, POLLIN, 0 } };
		if (ppoll(fds, COUNT(fds), &wait, awake) <= 0)
			continue;
		if (fds[0].revents != 0)
			feed(c, &in);
		if (fds[1].revents != 0)
			collect(c, h, out);
	}
	return true;
}

/* Kill what is left of it, then read what it has left. */
static int
finish(child *c, handler *h, wkg_buf *out)
{
	int status = 0;
	pid_t ended;
	kill(-c->pid, SIGKILL);
	do
		ended = waitpid(c->pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	close_fd(&c->to);
	while (!h->cut && collect(c, h, out))
		continue;
	close_fd(&c->from);
	return ended == c->pid ? status : -1; /* neither exit nor signal */
}

static bool
is_success(const handler *h, bool in_time, int status)
{
	if (!in_time)
		cli_warn(h->command,
		         "the handler was killed after %u milliseconds",
		         h->timeout_ms);
	else if (WIFSIGNALED(status))
		cli_warn(h->command, "the handler died of signal %d",
		         WTERMSIG(status));
	else if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		cli_warn(h->command, "the handler ended with status %d",
		         WEXITSTATUS(status));
	return in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
wake(int signal)
{
	(void)signal; /* ppoll() returns: that is all */
}

bool
handler_run(void *ctx, wkg_span parameters, wkg_buf *result)
{
	handler *h = ctx;
	child c;
	bool done = false;
	struct sigaction was, now = { .sa_handler = wake };
	sigset_t blocked, awake;

	/* A caller may have left SIGCHLD ignored, and then nothing is left of a
	 * child to wait for. */
	h->cut = false;
	sigemptyset(&now.sa_mask);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &awake);
	sigaction(SIGCHLD, &now, &was);

	sigset_t polling = awake;
	sigdelset(&polling, SIGCHLD);
	if (start(&c, h)) {
		bool in_time = attend(&c, h, parameters, result, &polling);
		done = is_success(h, in_time, finish(&c, h, result));
	}
	sigaction(SIGCHLD, &was, NULL);
	sigprocmask(SIG_SETMASK, &awake, NULL);
	return done;
}
