/* sets.c - sets.json as bit maps, each made when it is first asked for. */
#include "sets.h"
#include "data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1024
#define POINTS 0x110000

static const cJSON *
sets_json(void)
{
	static cJSON *json;
	const char *why = "";
	if (json == NULL)
		json = wgc_json_read(wgc_sets_json, wgc_sets_json_len, &why);
	if (json == NULL) {
		fprintf(stderr, "wicketgate-conformance: sets.json: %s\n", why);
		exit(5);
	}
	return json;
}

static void
note(uint32_t **list, size_t *n, uint32_t c)
{
	if (c >= POINTS || (c >= 0xD800 && c < 0xE000))
		return;
	if ((*n & (*n + 1)) == 0)
		*list = wgc_grow(*list, 2 * (*n + 1) * sizeof(c));
	(*list)[(*n)++] = c;
}

static void
add_range(wgc_set *set, uint32_t first, uint32_t last)
{
	for (uint32_t c = first; c <= last && c < POINTS; c++)
		set->bits[c >> 3] = (uint8_t)(set->bits[c >> 3] | 1u << (c & 7));
	note(&set->members, &set->member_count, first);
	note(&set->members, &set->member_count, last);
	note(&set->edges, &set->edge_count, first);
	note(&set->edges, &set->edge_count, last);
	note(&set->edges, &set->edge_count, first - 1);
	note(&set->edges, &set->edge_count, last + 1);
}

/* "0000-0008 000B" */
static void
add_ranges(wgc_set *set, const char *text)
{
	while (*text != '\0') {
		char *end;
		uint32_t first = (uint32_t)strtoul(text, &end, 16), last = first;
		if (*end == '-')
			last = (uint32_t)strtoul(end + 1, &end, 16);
		add_range(set, first, last);
		text = *end == ' ' ? end + 1 : end;
	}
}

static wgc_set *
made_of(const cJSON *list, const char *name)
{
	wgc_set *set = wgc_alloc(sizeof(*set));
	set->name = name;
	set->bits = wgc_alloc(POINTS / 8);
	for (const cJSON *text = list->child; text != NULL; text = text->next)
		add_ranges(set, text->valuestring);
	return set;
}

/* Made once: the JSON list is the key. */
static const wgc_set *
set_of(const cJSON *list, const char *name)
{
	static struct {
		const cJSON *list;
		const wgc_set *set;
	} known[MOST];
	if (list == NULL)
		return NULL;
	for (size_t i = 0; i < MOST; i++) {
		if (known[i].list == list)
			return known[i].set;
		if (known[i].list == NULL) {
			known[i].set = made_of(list, name);
			known[i].list = list;
			return known[i].set;
		}
	}
	fputs("wicketgate-conformance: too many sets\n", stderr);
	exit(5);
}

static const wgc_set *
find_set(const char *name)
{
	const cJSON *list = wgc_json_get(sets_json(), name);
	if (!cJSON_IsArray(list)) {
		fprintf(stderr, "wicketgate-conformance: no set %s\n", name);
		exit(5);
	}
	return set_of(list, name);
}

/* Names are literals, so mostly the same pointers: oracles ask for a set for
 * every character. */
const wgc_set *
wgc_set_named(const char *name)
{
	static struct {
		const char *name;
		const wgc_set *set;
	} recent[32];
	size_t i = ((uintptr_t)name >> 3) % 32;
	if (recent[i].name != name) {
		recent[i].set = find_set(name);
		recent[i].name = name;
	}
	return recent[i].set;
}
/* A map turned round, made at its first use. */
static const char **
readings(const char *map)
{
	static const char *names[2];
	static const char **tables[2];
	size_t i = names[0] == NULL || strcmp(names[0], map) == 0 ? 0 : 1;
	if (tables[i] != NULL)
		return tables[i];
	names[i] = map;
	tables[i] = wgc_alloc(POINTS * sizeof(char *));
	const cJSON *entry = wgc_json_get(sets_json(), map)->child;
	for (; entry != NULL; entry = entry->next) {
		wgc_set *set = made_of(entry, entry->string);
		for (uint32_t c = 0; c < POINTS; c++)
			if (wgc_set_has(set, c))
				tables[i][c] = entry->string;
		free(set->bits);
		free(set->edges);
		free(set->members);
		free(set);
	}
	return tables[i];
}

const char *
wgc_reads_as(const char *map, uint32_t c)
{
	return c < POINTS ? readings(map)[c] : NULL;
}

const wgc_set *
wgc_readings_of(const char *map, const char *letters)
{
	const cJSON *all = wgc_json_get(sets_json(), map);
	const cJSON *list = wgc_json_get(all, letters);
	return set_of(list, letters);
}

const wgc_set *
wgc_bases_of(uint32_t selector)
{
	char name[8];
	snprintf(name, sizeof(name), "%04X", selector);
	return set_of(wgc_json_get(wgc_json_get(sets_json(),
	                                        "variation_sequences"), name),
	              "variation_sequences");
}
