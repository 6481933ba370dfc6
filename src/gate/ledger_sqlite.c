/* ledger_sqlite.c - spent grants in a file, for the processes of one machine.
 * The only file that knows SQLite.
 *
 * One transaction per claim, and the outcome of its COMMIT is the answer: any
 * error before or in it is a refusal, and the row, if it was written, wastes
 * the grant. Why a clock set back reopens nothing is in ledger.h; the floor is
 * a row of the same file, so it is as durable as the claims it speaks for.
 *
 * How the file is kept:
 *   A rollback journal, not WAL. SQLite 3.7.0 to 3.51.2 can lose committed
 *     transactions in WAL mode when two connections checkpoint and write at
 *     the wrong moment (sqlite.org/wal.html#walresetbug), which is most of the
 *     versions in use; and the claims in a -wal file are lost when somebody
 *     copies or restores the file without it.
 *   journal_mode=TRUNCATE, not DELETE: what commits is the end of the journal.
 *     With DELETE and synchronous=FULL the deletion is not synced, and after a
 *     power cut the journal can be back and undo a claim that was granted;
 *     TRUNCATE syncs (conformance/ledger_sqlite.c cuts the power).
 *   synchronous=EXTRA: FULL, and durable in DELETE mode as well.
 *
 * A file with a second name is refused: a journal goes by the name, so that what a
 * crash leaves under one would be missed under the other, and undo later what was
 * granted meanwhile.
 *
 * Not protected against: names that are not links (a container that mounts the
 * file instead of its directory); network file systems without working locks;
 * another program that opens and closes the file within this process (which drops
 * POSIX locks); and an operator who removes it or restores an old one. A file
 * replaced under an open handle is noticed by SQLite, and refused. */
#define _GNU_SOURCE /* syscall */

#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#define APPLICATION_ID "2003527532" /* "wkgl" */
#define FORMAT "1"
#define CLAIMS \
	"CREATE TABLE claims (id BLOB PRIMARY KEY, expires_ms INTEGER NOT NULL) WITHOUT ROWID"
/* UNIQUE: two trees hold each claim, and either is enough to say "spent". A page
 * of one that a disk lost or mixed up does not reopen what is in the other. */
#define CLAIMS_BY_EXPIRY \
	"CREATE UNIQUE INDEX claims_by_expiry ON claims (expires_ms, id)"
#define META \
	"CREATE TABLE meta (only INTEGER PRIMARY KEY CHECK (only = 1), floor_ms INTEGER NOT NULL)"

enum statement {
	BEGIN,
	READ_FLOOR,
	INSERT,
	RAISE_FLOOR,
	FORGET,
	COMMIT,
	ROLLBACK,
	STATEMENTS,
};

static const char *const sql[STATEMENTS] = {
	/* IMMEDIATE: the only writer from here on, so that what is read below
	 * is still so when it is written. */
	[BEGIN] = "BEGIN IMMEDIATE",
	[READ_FLOOR] = "SELECT floor_ms FROM meta",
	[INSERT] = "INSERT INTO claims (expires_ms, id) VALUES (?1, ?2) "
	           "ON CONFLICT DO NOTHING",
	[RAISE_FLOOR] = "UPDATE meta SET floor_ms = ?1",
	/* More than one claim adds, so dead ones do not pile up. */
	[FORGET] = "DELETE FROM claims WHERE expires_ms <= ?1 AND id IN (SELECT "
	           "id FROM claims WHERE expires_ms <= ?1 ORDER BY expires_ms LIMIT 16)",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
};

struct wkg_sqlite_ledger {
	wkg__store store;
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENTS];
};

/* ---- a claim ------------------------------------------------------------- */

/* Run a statement that returns no rows, to its end. */
static bool
run(wkg_sqlite_ledger *l, enum statement which)
{
	sqlite3_stmt *s = l->statements[which];
	bool done = sqlite3_step(s) == SQLITE_DONE;
	return sqlite3_reset(s) == SQLITE_OK && done;
}

/* The same with its first parameter. */
static bool
run_with(wkg_sqlite_ledger *l, enum statement which, int64_t value)
{
	return sqlite3_bind_int64(l->statements[which], 1, value) == SQLITE_OK &&
	       run(l, which);
}

static bool
read_floor(wkg_sqlite_ledger *l, int64_t *floor_ms)
{
	sqlite3_stmt *s = l->statements[READ_FLOOR];
	bool read = sqlite3_step(s) == SQLITE_ROW &&
	            sqlite3_column_type(s, 0) == SQLITE_INTEGER;
	if (read)
		*floor_ms = sqlite3_column_int64(s, 0);
	bool only = read && sqlite3_step(s) == SQLITE_DONE;
	return sqlite3_reset(s) == SQLITE_OK && only;
}

/* False for an error; otherwise `*is_new` says whether there was none. */
static bool
insert(wkg_sqlite_ledger *l, const wkg__claim_request *c, bool *is_new)
{
	sqlite3_stmt *s = l->statements[INSERT];
	int length = (int)c->id.len;
	if (sqlite3_bind_blob(s, 2, c->id.ptr, length, SQLITE_TRANSIENT) != SQLITE_OK ||
	    !run_with(l, INSERT, c->expires_ms))
		return false;
	*is_new = sqlite3_changes(l->db) == 1;
	return true;
}

/* The answer if the transaction is left as it is now: GRANTED only behind a
 * COMMIT that succeeded. */
static wkg_claim
transaction(wkg_sqlite_ledger *l, const wkg__claim_request *c)
{
	int64_t floor_ms;
	bool is_new;
	if (!run(l, BEGIN) || !read_floor(l, &floor_ms))
		return WKG_CLAIM_REFUSED;
	if (c->now_ms < floor_ms || !insert(l, c, &is_new))
		return WKG_CLAIM_REFUSED;
	if (!is_new) /* rolled back: a replay costs no write */
		return WKG_CLAIM_SPENT;
	floor_ms = wkg__raised_floor(floor_ms, c->now_ms, l->store.margin_ms);
	if (!run_with(l, RAISE_FLOOR, floor_ms) || sqlite3_changes(l->db) != 1)
		return WKG_CLAIM_REFUSED;
	if (!run_with(l, FORGET, floor_ms) || !run(l, COMMIT))
		return WKG_CLAIM_REFUSED;
	return WKG_CLAIM_GRANTED;
}

static wkg_claim
claim(void *store, wkg_span id, int64_t expires, int64_t now_ms)
{
	wkg_sqlite_ledger *l = store;
	wkg__claim_request c;
	if (!wkg__store_enter(&l->store, &c, id, expires, now_ms))
		return WKG_CLAIM_REFUSED;
	wkg_claim answer = transaction(l, &c);
	if (!sqlite3_get_autocommit(l->db)) /* still in it: BUSY, SPENT, ... */
		(void)run(l, ROLLBACK);     /* or the next BEGIN refuses */
	wkg__store_leave(&l->store);
	return answer;
}

/* ---- the file ------------------------------------------------------------ */

/* What SQLite has to say about a file before it is used: questions and answers
 * (NULL: none). Nothing is changed before the file is known to be ours. */
static const struct {
	const char *sql;
	const char *answer;
} questions[] = {
	{ "PRAGMA trusted_schema = OFF", NULL },
	{ "PRAGMA cell_size_check = ON", NULL },
	{ "PRAGMA application_id", APPLICATION_ID },
	{ "PRAGMA user_version", FORMAT },
	/* A table without its key would insert everything twice. */
	{ "SELECT group_concat(sql, ';') FROM (SELECT sql FROM sqlite_master "
	  "WHERE sql IS NOT NULL ORDER BY rowid)",
	  CLAIMS ";" CLAIMS_BY_EXPIRY ";" META },
	{ "PRAGMA journal_mode = TRUNCATE", "truncate" },
	{ "PRAGMA synchronous = EXTRA", NULL },
	{ "PRAGMA synchronous", "3" },
	{ "PRAGMA fullfsync = ON", NULL }, /* macOS: past the disk's cache */
};

static wkg_status
ask(sqlite3 *db, const char *question, const char *answer)
{
	sqlite3_stmt *s;
	if (sqlite3_prepare_v2(db, question, -1, &s, NULL) != SQLITE_OK)
		return WKG_E_STORE;
	int rc = sqlite3_step(s);
	const char *text = NULL;
	if (rc == SQLITE_ROW)
		text = (const char *)sqlite3_column_text(s, 0);
	bool right = answer == NULL || (text != NULL && strcmp(text, answer) == 0);
	sqlite3_finalize(s);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return WKG_E_STORE;
	return right ? WKG_OK : WKG_E_INVALID;
}

/* Make the name of a file durable. Whoever opens it does so: its creator may
 * be about to. */
static wkg_status
sync_directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	int length = slash == NULL ? 1 : slash == path ? 1 : (int)(slash - path);
	char *directory = sqlite3_mprintf("%.*s", length, slash == NULL ? "." : path);
	if (directory == NULL)
		return WKG_E_MEMORY;
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	sqlite3_free(directory);
	if (fd < 0)
		return WKG_E_STORE;
	int synced = fsync(fd);
	close(fd);
	return synced == 0 ? WKG_OK : WKG_E_STORE;
}

/* Open a file that is there. It is never made, or made anew, here: an empty or
 * torn one is some mishap that may have cost claims, and is refused. */
static wkg_status
open_existing(wkg_sqlite_ledger *l, const char *path, int busy_timeout_ms)
{
	struct stat file;
	if (stat(path, &file) != 0)
		return errno == ENOENT ? WKG_E_NOT_FOUND : WKG_E_STORE;
	if (!S_ISREG(file.st_mode) || file.st_nlink != 1)
		return WKG_E_INVALID;

	const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX |
	                  SQLITE_OPEN_PRIVATECACHE;
	if (sqlite3_open_v2(path, &l->db, flags, NULL) != SQLITE_OK ||
	    sqlite3_busy_timeout(l->db, busy_timeout_ms) != SQLITE_OK ||
	    sqlite3_db_config(l->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) != SQLITE_OK ||
	    sqlite3_db_readonly(l->db, "main") != 0)
		return WKG_E_STORE;
	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
		WKG_TRY(ask(l->db, questions[i].sql, questions[i].answer));
	for (int i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v3(l->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT,
		                       &l->statements[i], NULL) != SQLITE_OK)
			return WKG_E_STORE;
	return sync_directory_of(path);
}

static wkg_status
write_empty(const char *path)
{
	static const char script[] =
		"PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; BEGIN;"
		"PRAGMA application_id = " APPLICATION_ID ";"
		"PRAGMA user_version = " FORMAT ";"
		CLAIMS ";" CLAIMS_BY_EXPIRY ";" META ";"
		"INSERT INTO meta (only, floor_ms) VALUES (1, 0); COMMIT;";
	sqlite3 *db;
	int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, script, NULL, NULL, NULL);
	int closed = sqlite3_close(db);
	return rc == SQLITE_OK && closed == SQLITE_OK ? WKG_OK : WKG_E_STORE;
}

/* Give a file a name that nobody has, in one step: link() and unlink() would give
 * it two for a moment, and for ever if killed between them. */
static int
rename_to_new(const char *from, const char *to)
{
#ifdef SYS_renameat2
	const unsigned no_replace = 1; /* RENAME_NOREPLACE of linux/fs.h */
	if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, no_replace) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL) /* not on every file system */
		return -1;
#endif
	return link(from, to);
}

/* An empty ledger, complete under another name first, so that no crash leaves
 * half of one. No file is replaced: of two who create, the second uses what the
 * first made. */
static wkg_status
create_as(char *draft, const char *path)
{
	int fd = mkstemp(draft); /* mode 0600; the journal inherits it */
	if (fd < 0)
		return WKG_E_STORE;
	close(fd);
	wkg_status status = write_empty(draft);
	if (status == WKG_OK && rename_to_new(draft, path) != 0 && errno != EEXIST)
		status = WKG_E_STORE;
	unlink(draft);
	return status;
}

static bool
is_there(const char *path, const char *suffix)
{
	struct stat file;
	char *name = sqlite3_mprintf("%s%s", path, suffix);
	bool there = name == NULL || lstat(name, &file) == 0 || errno != ENOENT;
	sqlite3_free(name);
	return there;
}

static wkg_status
create(const char *path)
{
	/* A journal without its database: somebody took the claims away, and
	 * would have them again for the asking; and SQLite would play it back
	 * into the new file. (Or somebody has just created the database.) */
	if (is_there(path, "-journal") || is_there(path, "-wal"))
		return WKG_OK; /* opening it decides */
	char *draft = sqlite3_mprintf("%s.XXXXXX", path);
	if (draft == NULL)
		return WKG_E_MEMORY;
	wkg_status status = create_as(draft, path);
	sqlite3_free(draft);
	return status;
}

static wkg_status
open_or_create(wkg_sqlite_ledger *l, const char *path, int busy_timeout_ms)
{
	wkg_status status = open_existing(l, path, busy_timeout_ms);
	if (status != WKG_E_NOT_FOUND)
		return status;
	WKG_TRY(create(path));
	status = open_existing(l, path, busy_timeout_ms);
	return status == WKG_E_NOT_FOUND ? WKG_E_STORE : status;
}

/* ---- set-up -------------------------------------------------------------- */

/* Names that are not files to SQLite: "" and ":memory:" would give every
 * handle a database of its own, in which nothing is spent. */
static bool
is_file_name(const char *path)
{
	return path[0] != '\0' && path[0] != ':' && strncmp(path, "file:", 5) != 0;
}

wkg_status
wkg_sqlite_ledger_open(wkg_sqlite_ledger **out, const char *path,
                       int64_t margin_s, int busy_timeout_ms,
                       const wkg_allocator *allocator)
{
	int64_t margin_ms = wkg__margin_ms(margin_s);
	if (out == NULL || path == NULL || !is_file_name(path) ||
	    margin_ms < 0 || busy_timeout_ms < 0)
		return WKG_E_ARGUMENT;
	if (sqlite3_threadsafe() == 0)
		return WKG_E_UNSUPPORTED;

	wkg_sqlite_ledger *l = wkg__store_new(sizeof *l, margin_ms, allocator);
	if (l == NULL)
		return WKG_E_MEMORY;
	wkg_status status = open_or_create(l, path, busy_timeout_ms);
	if (status != WKG_OK) {
		wkg_sqlite_ledger_close(l);
		return status;
	}
	*out = l;
	return WKG_OK;
}

void
wkg_sqlite_ledger_close(wkg_sqlite_ledger *store)
{
	if (store == NULL)
		return;
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	wkg__store_free(store);
}

wkg_ledger
wkg_sqlite_ledger_of(wkg_sqlite_ledger *store)
{
	wkg_ledger ledger = { claim, store };
	return ledger;
}
