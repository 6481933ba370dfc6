/* adapter.c - one child process, its lines, its limits and its ends. */
#include "adapter.h"
#include "protocol.h"
#include "schema.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_INFLIGHT 256
#define ID_LEN       12
#define FIRST_LINE   8388608 /* until hello has said max_line */
#define STDERR_TAIL  65536
#define RECYCLE      2000    /* requests one process answers */
#define MAX_DEATHS   3       /* in one call of ask */
#define USED_IDS     512     /* remembered, to tell "used up" from "unknown" */

extern char **environ;

typedef struct request {
	uint64_t handle;
	size_t tag;
	char id[ID_LEN + 1], op[24];
	int64_t since_ms, wait_ms;
} request;

typedef struct call {
	uint64_t handle;
	char id[33];
} call;

struct wgc_adapter {
	wgc_subject subject;
	char *const *argv;
	unsigned patience;
	char *why;

	pid_t pid; /* 0: none */
	int in, out, err;
	bool eof;
	wgc_string to, from, tail;
	size_t to_done, scanned;

	request outstanding[MAX_INFLIGHT];
	size_t count;
	bool alone; /* a state operation is outstanding */
	size_t answered, lost[MAX_INFLIGHT], lost_count; /* tags */
	call calls[MAX_INFLIGHT];
	size_t call_count;
	char used[USED_IDS][ID_LEN + 1];
	size_t used_count;
	int64_t progress_ms;
	uint64_t handles, random;

	cJSON *hello, *incidents;
	wgc_setup setup;
	bool configured, clean;
	size_t served; /* by this process */
	wgc_adapter_stats stats;

	void (*trace)(void *, char, const char *, size_t);
	void *trace_context;
};

static volatile sig_atomic_t current_group;

void
wgc_adapter_kill_current(void)
{
	if (current_group > 0)
		kill(-(pid_t)current_group, SIGKILL);
}

static int64_t
now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
set_why(wgc_adapter *a, char *why /* taken */)
{
	free(a->why);
	a->why = why;
	a->subject.why = why;
}

/* Ids must tell nothing about what is asked; unpredictable is enough. */
static void
new_id(wgc_adapter *a, char id[ID_LEN + 1])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t z = a->random += 0x9E3779B97F4A7C15;
	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	z ^= z >> 31;
	for (size_t i = 0; i < ID_LEN; i++, z /= 36)
		id[i] = letters[z % 36];
	id[ID_LEN] = '\0';
}

static uint64_t
unpredictable(void)
{
	uint64_t seed = (uint64_t)now_ms() << 20 ^ (uint64_t)getpid();
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	uint64_t more = 0;
	if (fd >= 0 && read(fd, &more, sizeof(more)) == sizeof(more))
		seed ^= more;
	if (fd >= 0)
		close(fd);
	return seed;
}

/* Bytes that nobody vouches for, as ASCII. */
static char *
printable(const char *bytes, size_t len)
{
	wgc_string out = { 0 };
	wgc_put(&out, "");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if ((c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t')
			wgc_put_bytes(&out, &bytes[i], 1);
		else
			wgc_putf(&out, "\\x%02x", c);
	}
	return out.ptr;
}

static char *
excerpt(const char *line, size_t len)
{
	char *shown = printable(line, len < 100 ? len : 100);
	char *text = wgc_format("'%s'%s", shown, len > 100 ? "..." : "");
	free(shown);
	return text;
}

/* --- Starting and ending a process --- */

static bool
make_pipe(int fds[2])
{
	if (pipe(fds) != 0)
		return false;
	fcntl(fds[0], F_SETFD, FD_CLOEXEC);
	fcntl(fds[1], F_SETFD, FD_CLOEXEC);
	return true;
}

static int
spawn(wgc_adapter *a, int in, int out, int err)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	sigset_t defaults, none;
	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	sigaddset(&defaults, SIGTERM);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&files, in, 0);
	posix_spawn_file_actions_adddup2(&files, out, 1);
	posix_spawn_file_actions_adddup2(&files, err, 2);
	posix_spawnattr_setflags(&attributes,
	                         POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF |
	                                 POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setsigmask(&attributes, &none);
	int error = posix_spawnp(&a->pid, a->argv[0], &files, &attributes,
	                         a->argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attributes);
	return error;
}

static void
set_nonblocking(int fd)
{
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void
forget_process(wgc_adapter *a)
{
	a->to.len = a->to_done = a->from.len = a->scanned = a->tail.len = 0;
	a->count = a->call_count = a->used_count = a->served = 0;
	a->alone = a->eof = false;
	a->clean = true;
	a->progress_ms = now_ms();
}

/* The pipes, and the process between them. */
static bool
launch(wgc_adapter *a)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, err[2] = { -1, -1 };
	forget_process(a);
	bool made = make_pipe(in) && make_pipe(out) && make_pipe(err);
	int error = made ? spawn(a, in[0], out[1], err[1]) : errno;
	int theirs[] = { in[0], out[1], err[1] }, ours[] = { in[1], out[0], err[0] };
	for (size_t i = 0; i < 3; i++) {
		if (theirs[i] >= 0)
			close(theirs[i]);
		if (error != 0 && ours[i] >= 0)
			close(ours[i]);
	}
	if (error != 0) {
		a->pid = 0;
		bool bare = error == ENOENT && strchr(a->argv[0], '/') == NULL;
		set_why(a, wgc_format("cannot start '%s': %s%s", a->argv[0],
		                      strerror(error),
		                      bare ? " in PATH (a file here is ./NAME)" : ""));
		return false;
	}
	a->in = in[1], a->out = out[0], a->err = err[0];
	set_nonblocking(a->in);
	set_nonblocking(a->out);
	set_nonblocking(a->err);
	current_group = (sig_atomic_t)a->pid;
	a->stats.processes++;
	return true;
}

static void
nap(void)
{
	struct timespec t = { 0, 2000000 };
	nanosleep(&t, NULL);
}

/* Wait at most `wait_ms` for the exit; false if it did not come. */
static bool
wait_for_exit(wgc_adapter *a, int64_t wait_ms, int *status)
{
	int64_t until = now_ms() + wait_ms;
	do {
		if (waitpid(a->pid, status, WNOHANG) == a->pid)
			return true;
		nap();
	} while (now_ms() < until);
	return false;
}

static void
read_stderr(wgc_adapter *a)
{
	char block[8192];
	ssize_t n;
	while ((n = read(a->err, block, sizeof(block))) > 0) {
		wgc_put_bytes(&a->tail, block, (size_t)n);
		if (a->tail.len > 2 * STDERR_TAIL) {
			memmove(a->tail.ptr, a->tail.ptr + a->tail.len - STDERR_TAIL,
			        STDERR_TAIL);
			a->tail.len = STDERR_TAIL;
		}
		if (n < (ssize_t)sizeof(block))
			break; /* an endless writer must not keep us here */
	}
	if (n == 0) {
		close(a->err);
		a->err = -1;
	}
}

/* The whole group: whatever the adapter has started goes with it. */
static void
bury(wgc_adapter *a, bool reaped)
{
	int status;
	kill(-a->pid, SIGKILL);
	if (!reaped)
		waitpid(a->pid, &status, 0);
	current_group = 0;
	int fds[] = { a->in, a->out, a->err };
	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	a->in = a->out = a->err = -1;
	a->pid = 0;
}

static char *
status_words(int status)
{
	if (WIFEXITED(status))
		return wgc_format("exited with status %d", WEXITSTATUS(status));
	if (WIFSIGNALED(status))
		return wgc_format("was killed by signal %d (%s)",
		                  WTERMSIG(status), strsignal(WTERMSIG(status)));
	return wgc_copy("ended");
}

static cJSON *
death_certificate(wgc_adapter *a, wgc_kind kind, const char *op,
                  const char *why)
{
	size_t skip = a->tail.len > STDERR_TAIL ? a->tail.len - STDERR_TAIL : 0;
	char *tail = printable(a->tail.ptr + skip, a->tail.len - skip);
	cJSON *body = cJSON_CreateObject();
	cJSON_AddStringToObject(body, "why", why);
	cJSON_AddStringToObject(body, "stderr", tail);
	cJSON *incident = cJSON_Duplicate(body, true);
	cJSON_AddStringToObject(incident, "kind", wgc_kind_name(kind));
	cJSON_AddStringToObject(incident, "op", op);
	/* A record for people: the first ones tell the story. */
	if (cJSON_GetArraySize(a->incidents) < 100)
		cJSON_AddItemToArray(a->incidents, incident);
	else
		cJSON_Delete(incident);
	free(tail);
	return body;
}

/* The process ends here, for this reason (taken). */
static wgc_event
die(wgc_adapter *a, wgc_kind kind, char *why)
{
	int status = 0;
	bool reaped = false;
	if (kind == WGC_CRASH) {
		reaped = wait_for_exit(a, 500, &status);
		char *end = reaped ? status_words(status)
		                   : wgc_copy("closed its standard output");
		char *both = wgc_format("%s %s", end, why);
		free(why);
		free(end);
		why = both;
	}
	if (a->err >= 0)
		read_stderr(a);
	bury(a, reaped);
	wgc_event event = { .kind = WGC_EVENT_DEAD };
	event.reply.kind = kind;
	event.reply.body = death_certificate(
	        a, kind, a->count > 0 ? a->outstanding[0].op : "", why);
	a->lost_count = a->count;
	for (size_t i = 0; i < a->count; i++)
		a->lost[i] = a->outstanding[i].tag;
	forget_process(a);
	set_why(a, why);
	return event;
}

/* --- Sending --- */

static size_t
max_line(const wgc_adapter *a)
{
	long long n = FIRST_LINE;
	wgc_json_integer(wgc_json_get(a->hello, "max_line"), &n);
	return (size_t)n;
}

static int64_t
slow(const wgc_adapter *a, int64_t ms)
{
	long long factor = 1;
	wgc_json_integer(wgc_json_get(a->hello, "slow_factor"), &factor);
	return ms * factor * (int64_t)a->patience;
}

static void
put_line(wgc_adapter *a, const char *line, size_t len)
{
	if (a->trace != NULL)
		a->trace(a->trace_context, '>', line, len);
	if (a->to_done == a->to.len)
		a->to_done = a->to.len = 0;
	wgc_put_bytes(&a->to, line, len);
	wgc_put(&a->to, "\n");
}

static void
note_sent(wgc_adapter *a, const char *op, const char *id, size_t tag,
          size_t len)
{
	request *r = &a->outstanding[a->count++];
	*r = (request){ .handle = ++a->handles, .tag = tag };
	snprintf(r->id, sizeof(r->id), "%s", id);
	snprintf(r->op, sizeof(r->op), "%s", op);
	r->since_ms = now_ms();
	r->wait_ms = slow(a, wgc_operation_wait_ms(op, len));
	a->alone = !wgc_operation_is_pure(op);
	const char *component = wgc_operation_component(op);
	if (strcmp(op, "reset") == 0)
		a->clean = true;
	else if (a->alone && component != NULL && *component != '\0')
		a->clean = false; /* it may hold grants, or a clock, now */
	a->served++;
	a->stats.requests++;
}

/* 0: longer than the adapter takes. The args stay the caller's. */
static uint64_t
send_request(wgc_adapter *a, const char *op, const cJSON *args, size_t tag)
{
	char id[ID_LEN + 1];
	new_id(a, id);
	wgc_string line = { 0 };
	wgc_putf(&line, "{\"id\":\"%s\",\"op\":\"%s\",\"args\":", id, op);
	wgc_put_json(&line, args);
	wgc_put(&line, "}");
	bool fits = line.len <= max_line(a);
	if (fits) {
		put_line(a, line.ptr, line.len);
		note_sent(a, op, id, tag, line.len);
	}
	free(line.ptr);
	return fits ? a->handles : 0;
}

/* --- Receiving --- */

static wgc_event
protocol_error(wgc_adapter *a, const char *what, const char *line, size_t len)
{
	char *shown = excerpt(line, len);
	char *why = wgc_format("%s: %s", what, shown);
	free(shown);
	return die(a, WGC_PROTOCOL, why);
}

static size_t
find_request(const wgc_adapter *a, const char *id)
{
	size_t i = 0;
	while (i < a->count && strcmp(a->outstanding[i].id, id) != 0)
		i++;
	return i;
}

static bool
is_used(const wgc_adapter *a, const char *id)
{
	size_t kept = a->used_count < USED_IDS ? a->used_count : USED_IDS;
	for (size_t i = 0; i < kept; i++)
		if (strcmp(a->used[i], id) == 0)
			return true;
	return false;
}

static void
retire(wgc_adapter *a, size_t i)
{
	memcpy(a->used[a->used_count++ % USED_IDS], a->outstanding[i].id,
	       ID_LEN + 1);
	a->answered = a->outstanding[i].tag;
	memmove(&a->outstanding[i], &a->outstanding[i + 1],
	        (a->count - i - 1) * sizeof(request));
	a->count--;
	if (a->count == 0)
		a->alone = false;
	a->progress_ms = now_ms();
}

/* Only forms that were declared, so that every runner can read them. */
static const char *
undeclared_form(const wgc_adapter *a, const cJSON *line)
{
	if (!wgc_has_feature(a->hello, "text.utf16") &&
	    wgc_text_uses(line, "$u16"))
		return "$u16 without the feature text.utf16";
	if (!wgc_has_feature(a->hello, "text.bytes") &&
	    wgc_text_uses(line, "$hex"))
		return "$hex without the feature text.bytes";
	return NULL;
}

static bool
is_well_formed(const wgc_adapter *a, const cJSON *line, const char *op,
               wgc_string *why)
{
	const char *form = undeclared_form(a, line);
	char def[40];
	if (form != NULL) {
		wgc_put(why, form);
		return false;
	}
	snprintf(def, sizeof(def), "ok:%s", op);
	return wgc_json_get(line, "ok") == NULL ||
	       wgc_schema_valid(wgc_protocol_schema(), def,
	                        wgc_json_get(line, "ok"), why);
}

static wgc_event
take_reply(wgc_adapter *a, cJSON *line, const char *text, size_t len)
{
	static const struct {
		const char *name;
		wgc_kind kind;
	} kinds[] = { { "ok", WGC_OK }, { "err", WGC_ERR }, { "skip", WGC_SKIP } };
	const char *id = wgc_json_string(line, "id");
	size_t at = find_request(a, id);
	if (at == a->count)
		return protocol_error(a, is_used(a, id) ? "an id that is used up"
		                                       : "an id nobody asked",
		                      text, len);
	wgc_string why = { 0 };
	if (!is_well_formed(a, line, a->outstanding[at].op, &why)) {
		char *what = wgc_format("not a reply to %s: %s",
		                        a->outstanding[at].op, why.ptr);
		wgc_event event = protocol_error(a, what, text, len);
		free(what);
		free(why.ptr);
		return event;
	}
	free(why.ptr);
	wgc_event event = { .kind = WGC_EVENT_REPLY,
		            .request = a->outstanding[at].handle };
	for (size_t i = 0; i < 3 && event.reply.body == NULL; i++) {
		event.reply.kind = kinds[i].kind;
		event.reply.body = cJSON_DetachItemFromObjectCaseSensitive(
		        line, kinds[i].name);
	}
	retire(a, at);
	return event;
}

static wgc_event
take_call(wgc_adapter *a, cJSON *line, const char *text, size_t len)
{
	size_t at = find_request(a, wgc_json_string(line, "for"));
	if (at == a->count)
		return protocol_error(a, "a call for no outstanding request",
		                      text, len);
	if (a->call_count == MAX_INFLIGHT)
		return protocol_error(a, "more calls than requests", text, len);
	call *c = &a->calls[a->call_count++];
	c->handle = ++a->handles;
	snprintf(c->id, sizeof(c->id), "%s", wgc_json_string(line, "call"));
	wgc_event event = { .kind = WGC_EVENT_CALL,
		            .request = a->outstanding[at].handle,
		            .call = c->handle };
	snprintf(event.op, sizeof(event.op), "%s", wgc_json_string(line, "op"));
	event.args = cJSON_DetachItemFromObjectCaseSensitive(line, "args");
	return event;
}

static wgc_event
take_line(wgc_adapter *a, const char *text, size_t len)
{
	const char *why;
	if (a->trace != NULL)
		a->trace(a->trace_context, '<', text, len);
	cJSON *line = wgc_json_read(text, len, &why);
	if (line == NULL)
		return protocol_error(a, why, text, len);
	bool is_call = wgc_json_get(line, "call") != NULL;
	wgc_string told = { 0 };
	wgc_event event;
	if (!wgc_schema_valid(wgc_protocol_schema(), is_call ? "call" : "reply",
	                      line, &told)) {
		char *what = wgc_format("not a %s (%s)", is_call ? "call" : "reply",
		                        told.ptr);
		event = protocol_error(a, what, text, len);
		free(what);
	} else if (is_call) {
		event = take_call(a, line, text, len);
	} else {
		event = take_reply(a, line, text, len);
	}
	free(told.ptr);
	cJSON_Delete(line);
	return event;
}

/* The next whole line that was read, or a reason to end. */
static bool
next_line(wgc_adapter *a, wgc_event *event)
{
	char *start = a->from.ptr;
	char *end = a->from.len == a->scanned
	                    ? NULL
	                    : memchr(start + a->scanned, '\n',
	                             a->from.len - a->scanned);
	if (end == NULL) {
		a->scanned = a->from.len;
		if (a->from.len <= max_line(a))
			return false;
		*event = protocol_error(a, "a line longer than max_line", start,
		                        a->from.len);
		return true;
	}
	size_t len = (size_t)(end - start);
	char *line = wgc_alloc(len + 1);
	memcpy(line, start, len);
	memmove(start, end + 1, a->from.len - len - 1);
	a->from.len -= len + 1;
	a->scanned = 0;
	*event = len > max_line(a)
	                 ? protocol_error(a, "a line longer than max_line", line, len)
	                 : take_line(a, line, len);
	free(line);
	return true;
}

static void
write_some(wgc_adapter *a)
{
	ssize_t n = write(a->in, a->to.ptr + a->to_done, a->to.len - a->to_done);
	if (n > 0) {
		a->to_done += (size_t)n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		close(a->in); /* it does not read any more; its silence will show */
		a->in = -1;
	}
}

static void
read_some(wgc_adapter *a)
{
	char block[65536];
	ssize_t n = read(a->out, block, sizeof(block));
	if (n > 0)
		wgc_put_bytes(&a->from, block, (size_t)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		a->eof = true;
}

static void
wait_io(wgc_adapter *a, int64_t wait_ms)
{
	bool writing = a->in >= 0 && a->to_done < a->to.len;
	struct pollfd fds[3] = {
		{ .fd = a->out, .events = POLLIN },
		{ .fd = a->err, .events = POLLIN },
		{ .fd = writing ? a->in : -1, .events = POLLOUT },
	};
	if (poll(fds, 3, wait_ms < 0 ? 0 : (int)wait_ms) <= 0)
		return;
	if (fds[2].revents != 0)
		write_some(a);
	if (fds[1].revents != 0)
		read_stderr(a);
	if (fds[0].revents != 0)
		read_some(a);
}

/* A reply is due by the time the adapter could have worked on it alone: since
 * it was sent, or since the reply before it. A byte now and then is no reply. */
static int64_t
deadline(const wgc_adapter *a, size_t *who)
{
	int64_t first = INT64_MAX;
	for (size_t i = 0; i < a->count; i++) {
		const request *r = &a->outstanding[i];
		int64_t since = r->since_ms > a->progress_ms ? r->since_ms
		                                             : a->progress_ms;
		if (since + r->wait_ms < first) {
			first = since + r->wait_ms;
			*who = i;
		}
	}
	return first;
}

/* While others make progress: a request that is passed over forever. */
static bool
is_starved(const wgc_adapter *a, int64_t now, size_t *who)
{
	for (size_t i = 0; i < a->count; i++)
		if (now - a->outstanding[i].since_ms >
		    a->outstanding[i].wait_ms * MAX_INFLIGHT)
			return *who = i, true;
	return false;
}

static wgc_event
poll_event(wgc_adapter *a, int64_t wait_ms)
{
	int64_t until = now_ms() + wait_ms;
	wgc_event event = { .kind = WGC_EVENT_NONE };
	if (a->pid == 0) {
		event.kind = WGC_EVENT_DEAD;
		event.reply.kind = WGC_CRASH;
		event.reply.body = cJSON_CreateObject();
		cJSON_AddStringToObject(event.reply.body, "why", "no process runs");
		cJSON_AddStringToObject(event.reply.body, "stderr", "");
		return event;
	}
	for (;;) {
		if (next_line(a, &event))
			return event;
		if (a->eof)
			return die(a, WGC_CRASH, wgc_copy("before bye"));
		size_t who = 0;
		int64_t now = now_ms(), late = deadline(a, &who);
		if (now >= late || is_starved(a, now, &who))
			return die(a, WGC_HANG,
			           wgc_format("no reply to %s within %.1f s",
			                      a->outstanding[who].op,
			                      (double)a->outstanding[who].wait_ms / 1000));
		if (now >= until)
			return event;
		int64_t next = until < late ? until : late;
		wait_io(a, next - now < 200 ? next - now : 200);
	}
}

/* --- One exchange, a start, a configuration --- */

static wgc_reply
exchange(wgc_adapter *a, const char *op, const cJSON *args)
{
	uint64_t handle = send_request(a, op, args, 0);
	wgc_event event = { .kind = WGC_EVENT_NONE };
	while (event.kind == WGC_EVENT_NONE)
		event = poll_event(a, 1000);
	if (event.kind == WGC_EVENT_CALL) {
		wgc_event_clear(&event);
		event = die(a, WGC_PROTOCOL,
		            wgc_copy("a call, while nobody plays the store"));
	}
	(void)handle; /* nothing else is outstanding */
	return event.reply;
}

static const char *
reply_words(const wgc_reply *reply)
{
	static const char *const members[] = { "why", "code", "reason" };
	const char *words = NULL;
	for (size_t i = 0; i < 3 && words == NULL; i++)
		words = wgc_json_string(reply->body, members[i]);
	return words != NULL ? words : "no reason given";
}

static bool
accept(wgc_adapter *a, const char *op, wgc_reply *reply)
{
	bool ok = reply->kind == WGC_OK;
	if (!ok)
		set_why(a, wgc_format("%s: %s: %s", op, wgc_kind_name(reply->kind),
		                      reply_words(reply)));
	return ok;
}

static bool
shake_hands(wgc_adapter *a)
{
	cJSON *args = cJSON_CreateObject();
	cJSON *protocols = cJSON_AddArrayToObject(args, "protocols");
	cJSON_AddItemToArray(protocols, cJSON_CreateString(WGC_PROTOCOL_NAME));
	cJSON_AddStringToObject(args, "suite", WGC_SUITE_VERSION);
	wgc_reply reply = exchange(a, "hello", args);
	cJSON_Delete(args);
	bool ok = accept(a, "hello", &reply);
	if (ok && a->hello == NULL) {
		a->hello = reply.body;
		a->subject.hello = a->hello;
		reply.body = NULL;
	} else if (ok && !wgc_json_equal(a->hello, reply.body)) {
		wgc_event event = die(a, WGC_PROTOCOL,
		                      wgc_copy("hello differs from the first one"));
		wgc_event_clear(&event);
		ok = false;
	}
	wgc_reply_clear(&reply);
	return ok;
}

static bool
configure_now(wgc_adapter *a)
{
	cJSON *args = wgc_setup_json(&a->setup, a->hello);
	wgc_reply reply = exchange(a, "configure", args);
	cJSON_Delete(args);
	bool ok = accept(a, "configure", &reply);
	wgc_reply_clear(&reply);
	return ok;
}

/* A process that has said hello and is configured as the last one was. */
static bool
ensure_running(wgc_adapter *a)
{
	if (a->pid != 0)
		return true;
	bool ready = launch(a) && shake_hands(a) &&
	             (!a->configured || configure_now(a));
	if (!ready && a->pid != 0)
		bury(a, false);
	return ready;
}

static void
recycle(wgc_adapter *a)
{
	if (a->pid != 0 && a->clean && a->served >= RECYCLE)
		wgc_adapter_stop(a);
}

static bool
subject_configure(wgc_subject *subject, const wgc_setup *setup)
{
	wgc_adapter *a = subject->state;
	if (a->configured && wgc_setup_equal(&a->setup, setup) && a->pid != 0)
		return true;
	recycle(a);
	a->configured = false;
	if (!ensure_running(a))
		return false;
	a->setup = *setup;
	a->configured = configure_now(a);
	return a->configured;
}

/* --- Asking many --- */

typedef struct batch {
	wgc_adapter *a;
	size_t n, next; /* requests; the next to send */
	const char *const *ops;
	cJSON *const *args;
	wgc_reply *replies;
	bool again;     /* may be asked again: pure, and no state held */
	size_t failed;
} batch;

static cJSON *
words(const char *name, const char *why)
{
	cJSON *body = cJSON_CreateObject();
	cJSON_AddStringToObject(body, name, why);
	if (strcmp(name, "why") == 0)
		cJSON_AddStringToObject(body, "stderr", "");
	return body;
}

static void
amend(wgc_reply *reply, const char *more)
{
	char *why = wgc_format("%s%s", reply_words(reply), more);
	cJSON_ReplaceItemInObjectCaseSensitive(reply->body, "why",
	                                       cJSON_CreateString(why));
	free(why);
}

static void
give_up(batch *b, const char *why)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->replies[i].kind == WGC_NONE)
			b->replies[i] = (wgc_reply){ WGC_CRASH, words("why", why) };
	b->next = b->n;
}

static bool
may_send(const batch *b)
{
	long long window = 1;
	wgc_json_integer(wgc_json_get(b->a->hello, "max_inflight"), &window);
	if (b->a->count == 0)
		return true;
	return !b->a->alone && (long long)b->a->count < window &&
	       wgc_operation_is_pure(b->ops[b->next]);
}

static bool
is_asked_of(const wgc_adapter *a, const char *op)
{
	return strcmp(op, "reset") == 0 || wgc_has_operation(a->hello, op);
}

static void
send_next(batch *b)
{
	size_t i = b->next++;
	const char *op = b->ops[i];
	if (!is_asked_of(b->a, op))
		b->replies[i] = (wgc_reply){ WGC_SKIP, words("reason", "not an operation of this adapter") };
	else if (send_request(b->a, op, b->args[i], i) == 0)
		b->replies[i] = (wgc_reply){ WGC_SKIP, words("reason", "longer than its max_line") };
}

/* Alone, in a fresh process if need be. True if it killed that too. */
static bool
ask_again(batch *b, size_t i)
{
	wgc_reply *reply = &b->replies[i];
	if (!ensure_running(b->a)) {
		*reply = (wgc_reply){ WGC_CRASH, words("why", b->a->why) };
		return true;
	}
	*reply = exchange(b->a, b->ops[i], b->args[i]);
	if (reply->kind < WGC_CRASH)
		return false;
	amend(reply, ", and again in a fresh process");
	return true;
}

/* All that were outstanding are suspects. Whoever kills a fresh process as
 * well did it; if nobody does, the oldest answers for it, because a death that
 * happens once is a failure all the same. */
static void
find_culprits(batch *b, wgc_reply *death)
{
	size_t suspects[MAX_INFLIGHT], count = b->a->lost_count, found = 0;
	memcpy(suspects, b->a->lost, sizeof(suspects));
	for (size_t i = 0; i < count && b->failed + found < MAX_DEATHS; i++)
		found += ask_again(b, suspects[i]);
	if (found == 0 && count > 0) {
		wgc_reply_clear(&b->replies[suspects[0]]);
		b->replies[suspects[0]] = *death;
		amend(&b->replies[suspects[0]], ", but not when asked again");
		found = 1;
	} else {
		wgc_reply_clear(death);
	}
	b->failed += found;
	if (b->failed >= MAX_DEATHS)
		give_up(b, "not asked: three requests have ended the process");
}

static void
take_death(batch *b, wgc_reply *death)
{
	if (b->again) {
		find_culprits(b, death);
		return;
	}
	if (b->a->lost_count > 0)
		b->replies[b->a->lost[0]] = *death;
	else
		wgc_reply_clear(death);
	give_up(b, "not asked: the process, and its state, had ended");
}

static bool
subject_ask(wgc_subject *subject, size_t n, const char *const *ops,
            cJSON *const *args, wgc_reply *replies)
{
	wgc_adapter *a = subject->state;
	batch b = { a, n, 0, ops, args, replies, a->clean, 0 };
	bool whole = true;
	for (size_t i = 0; i < n; i++) {
		replies[i] = (wgc_reply){ WGC_NONE, NULL };
		b.again &= wgc_operation_is_pure(ops[i]);
	}
	if (n > 0 && strcmp(ops[0], "reset") == 0)
		a->clean = true; /* what it held is not wanted any more */
	recycle(a);
	if (!ensure_running(a)) {
		give_up(&b, a->why);
		whole = false;
	}
	while (b.next < n || a->count > 0) {
		bool old = b.again && a->served >= RECYCLE;
		while (b.next < n && !old && may_send(&b))
			send_next(&b);
		if (old && a->count == 0) {
			recycle(a);
			if (!ensure_running(a))
				give_up(&b, a->why);
		}
		if (a->count == 0)
			continue;
		wgc_event event = poll_event(a, 1000);
		if (event.kind == WGC_EVENT_CALL) {
			wgc_event_clear(&event);
			event = die(a, WGC_PROTOCOL, wgc_copy("a call, while nobody plays the store"));
		}
		if (event.kind == WGC_EVENT_REPLY) {
			replies[a->answered] = event.reply;
		} else if (event.kind == WGC_EVENT_DEAD) {
			whole = false;
			take_death(&b, &event.reply);
		}
		if (b.next < n && !ensure_running(a))
			give_up(&b, a->why);
	}
	for (size_t i = 0; i < n; i++)
		cJSON_Delete(args[i]);
	return whole;
}

/* --- Playing the store --- */

static uint64_t
subject_send(wgc_subject *subject, const char *op, cJSON *args)
{
	wgc_adapter *a = subject->state;
	uint64_t handle = 0;
	if (a->count == MAX_INFLIGHT)
		set_why(a, wgc_copy("too many requests are outstanding"));
	else if (!is_asked_of(a, op))
		set_why(a, wgc_format("%s is not an operation of this adapter", op));
	else if (ensure_running(a) && (handle = send_request(a, op, args, 0)) == 0)
		set_why(a, wgc_copy("longer than its max_line"));
	cJSON_Delete(args);
	return handle;
}

static wgc_event
subject_poll(wgc_subject *subject, int wait_ms)
{
	return poll_event(subject->state, wait_ms);
}

static bool
subject_answer(wgc_subject *subject, uint64_t handle, cJSON *ok, cJSON *err)
{
	wgc_adapter *a = subject->state;
	size_t i = 0;
	while (i < a->call_count && a->calls[i].handle != handle)
		i++;
	bool known = a->pid != 0 && i < a->call_count;
	if (known) {
		wgc_string line = { 0 };
		wgc_putf(&line, "{\"reply\":\"%s\",\"%s\":", a->calls[i].id,
		         ok != NULL ? "ok" : "err");
		wgc_put_json(&line, ok != NULL ? ok : err);
		wgc_put(&line, "}");
		put_line(a, line.ptr, line.len);
		free(line.ptr);
		a->calls[i] = a->calls[--a->call_count];
		/* It waited for us: its time starts again. */
		a->progress_ms = now_ms();
	}
	cJSON_Delete(ok);
	cJSON_Delete(err);
	return known;
}

/* --- Life --- */

wgc_adapter *
wgc_adapter_new(char *const *argv, unsigned patience)
{
	wgc_adapter *a = wgc_alloc(sizeof(*a));
	a->argv = argv;
	a->patience = patience == 0 ? 1 : patience;
	a->random = unpredictable();
	a->in = a->out = a->err = -1;
	a->incidents = cJSON_CreateArray();
	wgc_put(&a->to, "");
	wgc_put(&a->from, "");
	wgc_put(&a->tail, "");
	a->subject = (wgc_subject){
		.ask = subject_ask,
		.configure = subject_configure,
		.send = subject_send,
		.poll = subject_poll,
		.answer = subject_answer,
		.setup = &a->setup,
		.state = a,
	};
	signal(SIGPIPE, SIG_IGN);
	return a;
}

void
wgc_adapter_free(wgc_adapter *a)
{
	if (a == NULL)
		return;
	if (a->pid != 0)
		bury(a, false);
	free(a->to.ptr);
	free(a->from.ptr);
	free(a->tail.ptr);
	free(a->why);
	cJSON_Delete(a->hello);
	cJSON_Delete(a->incidents);
	free(a);
}

bool
wgc_adapter_start(wgc_adapter *a, const char **why)
{
	bool started = ensure_running(a);
	*why = started ? NULL : a->why;
	return started;
}

wgc_subject *
wgc_adapter_subject(wgc_adapter *a)
{
	return &a->subject;
}

/* After its reply to bye: no more output, status 0, and within 5 s. */
static bool
await_end(wgc_adapter *a)
{
	int64_t until = now_ms() + slow(a, 5000);
	int status = 0;
	while (!a->eof && now_ms() < until)
		wait_io(a, until - now_ms() < 200 ? until - now_ms() : 200);
	bool ended = wait_for_exit(a, until - now_ms(), &status);
	char *why = NULL;
	wgc_kind kind = WGC_CRASH;
	if (!ended) {
		kind = WGC_HANG;
		why = wgc_copy("did not exit within 5 s of bye");
	} else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		char *end = status_words(status);
		why = wgc_format("%s after bye", end);
		free(end);
	} else if (a->from.len > 0) {
		kind = WGC_PROTOCOL;
		why = wgc_copy("more output after the reply to bye");
	}
	if (why != NULL)
		cJSON_Delete(death_certificate(a, kind, "bye", why));
	bury(a, ended);
	bool well = why == NULL;
	if (!well)
		set_why(a, why);
	return well;
}

bool
wgc_adapter_stop(wgc_adapter *a)
{
	if (a->pid == 0)
		return true;
	cJSON *args = cJSON_CreateObject();
	wgc_reply reply = exchange(a, "bye", args);
	cJSON_Delete(args);
	bool well = accept(a, "bye", &reply);
	if (!well && a->pid != 0)
		cJSON_Delete(death_certificate(a, WGC_PROTOCOL, "bye", a->why));
	wgc_reply_clear(&reply);
	if (a->pid == 0)
		return false;
	return await_end(a) && well;
}

wgc_reply
wgc_adapter_say(wgc_adapter *a, const char *op, const cJSON *args)
{
	if (!ensure_running(a))
		return (wgc_reply){ WGC_CRASH, words("why", a->why) };
	return exchange(a, op, args);
}

const cJSON *
wgc_adapter_incidents(const wgc_adapter *a)
{
	return a->incidents;
}

wgc_adapter_stats
wgc_adapter_stats_of(const wgc_adapter *a)
{
	return a->stats;
}

void
wgc_adapter_trace(wgc_adapter *a, void (*line)(void *, char, const char *, size_t),
                  void *context)
{
	a->trace = line;
	a->trace_context = context;
}
