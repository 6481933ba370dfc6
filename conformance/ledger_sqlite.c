/* ledger_sqlite.c - the SQLite ledger on a bad machine: the power is cut, the
 * disk fails, memory runs out; at every single step, one after the other.
 *
 * A layer over SQLite's own file system counts what is done to files and keeps,
 * for each, what has been synced. A power cut leaves that, or everything, or
 * any mixture of the two by sectors. (SQLite tests itself like this; what is
 * tested here is what the ledger asks of it.) */
#define _POSIX_C_SOURCE 200809L

#include "harness.h"
#include "ledger_store.h"
#include "sqlite_heap.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- the disk ------------------------------------------------------------ */

enum { IMAGES = 8, IMAGE_MAX = 1 << 17, SECTOR = 512, NEVER = 1 << 30 };

/* What is on the platter under one name. */
typedef struct image {
	char path[200];
	bool exists;
	size_t size;
	uint8_t bytes[IMAGE_MAX];
} image;

static struct {
	sqlite3_vfs *real;
	image images[IMAGES];
	size_t count;
	int steps;   /* taken so far */
	int fail_at; /* the step that fails */
	bool stays;  /* and everything after it */
	int error;
} disk;

typedef struct disk_file {
	sqlite3_file base;
	image *image; /* NULL: a temporary file */
	sqlite3_file *real;
} disk_file;

/* Is this the step that fails? */
static bool
fails(void)
{
	int step = disk.steps++;
	return step == disk.fail_at || (disk.stays && step > disk.fail_at);
}

static sqlite3_file *
real_of(sqlite3_file *file)
{
	return ((disk_file *)file)->real;
}

static void
remember(disk_file *f)
{
	sqlite3_int64 size = 0;
	if (f->image == NULL)
		return;
	f->real->pMethods->xFileSize(f->real, &size);
	if (size > IMAGE_MAX)
		abort();
	f->image->exists = true;
	f->image->size = (size_t)size;
	if (size > 0)
		f->real->pMethods->xRead(f->real, f->image->bytes, (int)size, 0);
}

static int
file_close(sqlite3_file *file)
{
	sqlite3_file *real = real_of(file);
	return real->pMethods->xClose(real);
}

static int
file_read(sqlite3_file *file, void *into, int count, sqlite3_int64 from)
{
	sqlite3_file *real = real_of(file);
	return fails() ? SQLITE_IOERR_READ : real->pMethods->xRead(real, into, count, from);
}

static int
file_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 where)
{
	sqlite3_file *real = real_of(file);
	if (!fails())
		return real->pMethods->xWrite(real, from, count, where);
	if (count > 1) /* half of it arrives */
		real->pMethods->xWrite(real, from, count / 2, where);
	return disk.error;
}

static int
file_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	sqlite3_file *real = real_of(file);
	return fails() ? SQLITE_IOERR_TRUNCATE : real->pMethods->xTruncate(real, size);
}

static int
file_sync(sqlite3_file *file, int flags)
{
	(void)flags;
	if (fails())
		return SQLITE_IOERR_FSYNC;
	remember((disk_file *)file);
	return SQLITE_OK; /* the real disk need not spin for this */
}

static int
file_size(sqlite3_file *file, sqlite3_int64 *size)
{
	sqlite3_file *real = real_of(file);
	return real->pMethods->xFileSize(real, size);
}

static int
file_lock(sqlite3_file *file, int level)
{
	sqlite3_file *real = real_of(file);
	return fails() ? SQLITE_BUSY : real->pMethods->xLock(real, level);
}

static int
file_unlock(sqlite3_file *file, int level)
{
	sqlite3_file *real = real_of(file);
	return real->pMethods->xUnlock(real, level);
}

static int
file_reserved(sqlite3_file *file, int *held)
{
	sqlite3_file *real = real_of(file);
	return real->pMethods->xCheckReservedLock(real, held);
}

static int
file_control(sqlite3_file *file, int operation, void *argument)
{
	sqlite3_file *real = real_of(file);
	return real->pMethods->xFileControl(real, operation, argument);
}

static int
file_sector(sqlite3_file *file)
{
	(void)file;
	return SECTOR;
}

static int
file_device(sqlite3_file *file)
{
	(void)file;
	return 0; /* promises nothing */
}

static image *
image_of(const char *path)
{
	for (size_t i = 0; i < disk.count; i++)
		if (strcmp(disk.images[i].path, path) == 0)
			return &disk.images[i];
	if (disk.count == IMAGES || strlen(path) >= sizeof disk.images->path)
		abort();
	image *added = &disk.images[disk.count++];
	memset(added, 0, sizeof *added);
	strcpy(added->path, path);
	return added;
}

static int
disk_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags)
{
	static const sqlite3_io_methods methods = {
		1, file_close, file_read, file_write, file_truncate, file_sync, file_size, file_lock, file_unlock,
		file_reserved, file_control, file_sector, file_device,
		/* shared memory and mapping: not in version 1 */
		NULL, NULL, NULL, NULL, NULL, NULL
	};
	disk_file *f = (disk_file *)file;
	(void)vfs;
	file->pMethods = NULL;
	if (fails())
		return SQLITE_CANTOPEN;
	f->real = (sqlite3_file *)(void *)(f + 1);
	f->image = path != NULL ? image_of(path) : NULL;
	int rc = disk.real->xOpen(disk.real, path, f->real, flags, out_flags);
	if (rc == SQLITE_OK) {
		file->pMethods = &methods;
		if (flags & SQLITE_OPEN_MAIN_DB) /* was there before */
			remember(f);
	}
	return rc;
}

static int
disk_delete(sqlite3_vfs *vfs, const char *path, int sync_directory)
{
	(void)vfs;
	if (fails())
		return SQLITE_IOERR_DELETE;
	if (sync_directory)
		image_of(path)->exists = false;
	return disk.real->xDelete(disk.real, path, sync_directory);
}

static void
install_disk(void)
{
	static sqlite3_vfs vfs;
	disk.real = sqlite3_vfs_find(NULL);
	vfs = *disk.real;
	vfs.zName = "bad disk";
	vfs.pNext = NULL;
	vfs.szOsFile += (int)sizeof(disk_file);
	vfs.xOpen = disk_open;
	vfs.xDelete = disk_delete;
	if (sqlite3_vfs_register(&vfs, 1) != SQLITE_OK)
		abort();
}

/* ---- the power ----------------------------------------------------------- */

enum power {
	LOSES, /* everything that was not synced */
	KEEPS, /* everything: the process died, not the machine */
	MIXES, /* each sector one or the other */
};

static uint64_t random_state = 1;

static bool
toss(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return random_state >> 63;
}

static void
mix(image *im)
{
	static uint8_t now[IMAGE_MAX];
	FILE *file = fopen(im->path, "rb");
	if (file == NULL && !im->exists)
		return;
	size_t size = file != NULL ? fread(now, 1, sizeof now, file) : 0;
	if (file != NULL)
		fclose(file);
	if (size > im->size) /* the length may arrive before the contents */
		memset(im->bytes + im->size, 0, size - im->size);
	for (size_t from = 0; from < size; from += SECTOR) {
		size_t count = size - from < SECTOR ? size - from : SECTOR;
		if (toss())
			memcpy(im->bytes + from, now + from, count);
	}
	if (toss())
		im->size = size;
	im->exists = im->exists || toss();
}

static void
power_returns(enum power how)
{
	for (size_t i = 0; how != KEEPS && i < disk.count; i++) {
		image *im = &disk.images[i];
		if (how == MIXES)
			mix(im);
		unlink(im->path);
		FILE *file = im->exists ? fopen(im->path, "wb") : NULL;
		if (file != NULL) {
			fwrite(im->bytes, 1, im->size, file);
			fclose(file);
		}
	}
	disk.count = 0;
	disk.fail_at = NEVER;
}

static void
fail_at(int step, bool stays, int error)
{
	disk.steps = 0;
	disk.fail_at = step;
	disk.stays = stays;
	disk.error = error;
}

/* ---- the claims ---------------------------------------------------------- */

static char path[100], name[120];

static const struct {
	const char *id;
	int64_t expires, now;
} script[] = {
	/* The last ones move the floor past the first and prune it. */
	{ "a", 1060, 1000 }, { "b", 1060, 1001 }, { "a", 1060, 1002 },
	{ "c", 1060, 1003 }, { "d", 9000, 1100 }, { "b", 1060, 1050 }, { "e", 9000, 1200 },
};
enum { LINES = sizeof script / sizeof *script, MARGIN_S = 20 };

static uint8_t empty[1 << 16]; /* a ledger without claims */
static size_t empty_size;

static void
remove_files(void)
{
	char journal[120];
	snprintf(journal, sizeof journal, "%s-journal", path);
	unlink(path);
	unlink(journal);
	disk.count = 0;
}

/* Run the script and count what was granted, by the id's letter. */
static void
run_script(const store *s, int granted[5])
{
	for (int i = 0; i < LINES; i++) {
		wkg_claim answer = claim_text(s, script[i].id, script[i].expires, script[i].now * 1000);
		granted[script[i].id[0] - 'a'] += answer == WKG_CLAIM_GRANTED;
	}
}

static void
keep_empty(void)
{
	store s;
	remove_files();
	if (open_store(&s, name, MARGIN_S, 0) != WKG_OK)
		abort();
	close_store(&s);
	FILE *file = fopen(path, "rb");
	empty_size = file != NULL ? fread(empty, 1, sizeof empty, file) : 0;
	if (empty_size == 0 || fclose(file) != 0)
		abort();
}

static void
lay_empty(void)
{
	remove_files();
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(empty, 1, empty_size, file) != empty_size || fclose(file) != 0)
		abort();
}

static store
open_fresh(void)
{
	store s;
	lay_empty();
	if (open_store(&s, name, MARGIN_S, 0) != WKG_OK)
		abort();
	return s;
}

/* Is every grant there that was given, and none given twice? Every id is tried
 * twice more, at its own time and late. */
static bool
is_sound(const store *s, int granted[5])
{
	run_script(s, granted);
	for (int i = 0; i < 5; i++)
		if (granted[i] > 1) {
			printf("# %c granted %d times\n", 'a' + i, granted[i]);
			return false;
		}
	return true;
}

/* The script, with a cut at step `step`. `*over`: it was not reached. */
static bool
survives_cut(int step, enum power how, bool *over)
{
	int granted[5] = { 0 };
	store s = open_fresh();
	fail_at(step, true, SQLITE_IOERR_WRITE);
	run_script(&s, granted);
	*over = disk.steps <= step;
	close_store(&s);
	power_returns(how);

	store again;
	wkg_status status = open_store(&again, name, MARGIN_S, 0);
	bool sound = status == WKG_OK && is_sound(&again, granted);
	if (!sound)
		printf("# cut at step %d: %s\n", step, wkg_status_name(status));
	close_store(&again);
	return sound;
}

static void
power_cuts(enum power how, const char *text, int repeats)
{
	int unsound = 0, steps = 0;
	for (int i = 0; i < repeats; i++) {
		bool over = false;
		for (int step = 0; !over; step++, steps++)
			unsound += !survives_cut(step, how, &over);
	}
	printf("# %d cuts\n", steps);
	CLAIM(text, unsound == 0 && steps > 60 * repeats);
}

/* A power cut when the script is through: all of it must be there. */
static void
cut_behind(void)
{
	int granted[5] = { 0 };
	store s = open_fresh();
	run_script(&s, granted);
	fail_at(0, true, SQLITE_IOERR_WRITE);
	close_store(&s);
	power_returns(LOSES);
	store again;
	bool opened = open_store(&again, name, MARGIN_S, 0) == WKG_OK;
	CLAIM("X7 what was granted is on the disk when it is granted", opened && granted[4] == 1 && is_sound(&again, granted));
	close_store(&again);
}

static void
disk_errors(int error, bool stays, const char *text)
{
	int unsound = 0, steps = 0, refused = 0;
	bool over = false;
	for (int step = 0; !over; step++, steps++) {
		int granted[5] = { 0 };
		store s = open_fresh();
		fail_at(step, stays, error);
		run_script(&s, granted);
		over = disk.steps <= step;
		refused += granted[0] + granted[1] + granted[2] + granted[3] + granted[4] < 5;
		fail_at(NEVER, false, 0);
		unsound += !is_sound(&s, granted); /* the same handle, healed */
		close_store(&s);
		store again;
		unsound += open_store(&again, name, MARGIN_S, 0) != WKG_OK || !is_sound(&again, granted);
		close_store(&again);
	}
	printf("# %d steps, %d cost a grant\n", steps, refused);
	CLAIM(text, unsound == 0 && steps > 60 && refused > 10);
}

/* Creating: there is a complete ledger under its name, or nothing. */
static void
creation(void)
{
	int wrong = 0, steps = 0;
	bool over = false;
	for (int step = 0; !over; step++, steps++) {
		struct stat file;
		store s;
		remove_files();
		fail_at(step, true, SQLITE_IOERR_WRITE);
		wkg_status status = open_store(&s, name, MARGIN_S, 0);
		over = disk.steps <= step;
		close_store(&s);
		fail_at(NEVER, false, 0);
		bool is_there = stat(path, &file) == 0;
		wrong += status == WKG_OK ? !is_there : is_there && file.st_size == 0;
		wrong += open_store(&s, name, MARGIN_S, 0) != WKG_OK;
		wrong += stat(path, &file) != 0 || (file.st_mode & 0777) != 0600 || file.st_nlink != 1;
		close_store(&s);
	}
	printf("# %d steps\n", steps);
	CLAIM("X7 whatever fails while it is made, there is a whole ledger or none, and mode 0600", wrong == 0 && steps > 20);
}

/* ---- memory -------------------------------------------------------------- */

static int allocations, allocation_fails;
static bool allocation_stays;

static bool
no_memory(void)
{
	int i = allocations++;
	return i == allocation_fails || (allocation_stays && i > allocation_fails);
}

static void *
heap_allocate(int size)
{
	return no_memory() ? NULL : sqlite_heap.xMalloc(size);
}

static void *
heap_resize(void *block, int size)
{
	return no_memory() ? NULL : sqlite_heap.xRealloc(block, size);
}

static void
install_heap(void)
{
	allocation_fails = NEVER;
	if (!stand_before_sqlite_heap(heap_allocate, heap_resize, NULL))
		abort();
}

static void
out_of_memory(bool stays, const char *text)
{
	int unsound = 0, steps = 0, refused = 0;
	bool over = false;
	for (int i = 0; !over; i++, steps++) {
		int granted[5] = { 0 };
		store s;
		lay_empty();
		allocations = 0;
		allocation_fails = i;
		allocation_stays = stays;
		bool opened = open_store(&s, name, MARGIN_S, 0) == WKG_OK;
		if (opened)
			run_script(&s, granted);
		over = allocations <= i;
		allocation_fails = NEVER;
		refused += !opened || granted[4] == 0;
		close_store(&s);
		store again;
		unsound += open_store(&again, name, MARGIN_S, 0) != WKG_OK || !is_sound(&again, granted);
		close_store(&again);
	}
	printf("# %d allocations, %d cost something\n", steps, refused);
	CLAIM(text, unsound == 0 && steps > 100);
}

static void
remove_scratch(const char *directory)
{
	char command[100];
	snprintf(command, sizeof command, "rm -r %s", directory);
	if (system(command) != 0)
		printf("# %s is left\n", directory);
}

/* With any argument, only what planted_bugs.py wants to see red. */
int
main(int argc, char **argv)
{
	(void)argv;
	const char *directory = scratch_directory();
	snprintf(path, sizeof path, "%s/l", directory);
	snprintf(name, sizeof name, "sqlite:%s", path);
	disk.fail_at = NEVER;
	install_heap();
	install_disk();
	keep_empty();

	cut_behind();
	power_cuts(LOSES, "X5 the power is cut at any step, what was not synced is lost: no grant twice", 1);
	disk_errors(SQLITE_FULL, true, "X7 the disk is full from any step on: no grant twice");
	if (argc > 1) {
		remove_scratch(directory);
		return finish();
	}
	power_cuts(KEEPS, "X5 the process dies at any step: no grant twice", 1);
	power_cuts(MIXES, "X5 the power is cut at any step, sectors are written or not: no grant twice", 4);
	disk_errors(SQLITE_IOERR_WRITE, false, "X7 any one step of the disk fails: no grant twice");
	disk_errors(SQLITE_IOERR_WRITE, true, "X7 the disk fails from any step on: no grant twice");
	creation();
	out_of_memory(false, "X7 any one allocation fails: no grant twice");
	out_of_memory(true, "X7 memory runs out at any allocation: no grant twice");

	remove_scratch(directory);
	return finish();
}
