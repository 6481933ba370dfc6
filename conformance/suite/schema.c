/* schema.c - a small validator. Keywords are a table; an unknown one fails. */
#include "schema.h"
#include "data.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
	const struct place *up;
	const char *member;
	int index;
} place;

typedef struct check {
	const cJSON *root;
	wgc_string *why; /* NULL: nobody asks */
	int depth;
} check;

static bool valid(check *c, const cJSON *schema, const cJSON *value,
                  const place *where);

static void
put_place(wgc_string *out, const place *where)
{
	if (where == NULL)
		return;
	put_place(out, where->up);
	if (where->member != NULL)
		wgc_putf(out, ".%s", where->member);
	else
		wgc_putf(out, "[%d]", where->index);
}

/* The first complaint is kept: it is the deepest. */
static bool
complain(check *c, const place *where, const char *what, const char *name)
{
	if (c->why == NULL || c->why->len > 0)
		return false;
	put_place(c->why, where);
	wgc_string told = { 0 };
	wgc_put(&told, "");
	for (const char *p = name; *p != '\0' && told.len < 80; p++)
		wgc_putf(&told, *p >= ' ' && *p < 0x7F ? "%c" : "\\x%02x",
		         (unsigned char)*p);
	wgc_putf(c->why, "%s%s%s%s%s", c->why->len > 0 ? ": " : "", what,
	         *name != '\0' ? " '" : "", told.ptr, *name != '\0' ? "'" : "");
	free(told.ptr);
	return false;
}

/* --- Keywords: each gets its own value, and the schema it stands in --- */

typedef bool keyword_check(check *c, const cJSON *keyword,
                           const cJSON *schema, const cJSON *value,
                           const place *where);

static bool
is_type(const char *type, const cJSON *value)
{
	if (strcmp(type, "object") == 0)
		return cJSON_IsObject(value);
	if (strcmp(type, "array") == 0)
		return cJSON_IsArray(value);
	if (strcmp(type, "string") == 0)
		return cJSON_IsString(value);
	if (strcmp(type, "integer") == 0 || strcmp(type, "number") == 0)
		return cJSON_IsNumber(value); /* json.h reads integers only */
	if (strcmp(type, "boolean") == 0)
		return cJSON_IsBool(value);
	return strcmp(type, "null") == 0 && cJSON_IsNull(value);
}

static bool
check_type(check *c, const cJSON *keyword, const cJSON *schema,
           const cJSON *value, const place *where)
{
	(void)schema;
	bool holds = cJSON_IsString(keyword) &&
	             is_type(keyword->valuestring, value);
	for (const cJSON *t = keyword->child; t != NULL; t = t->next)
		holds |= cJSON_IsString(t) && is_type(t->valuestring, value);
	return holds || complain(c, where, "is not of type",
	                         cJSON_IsString(keyword) ? keyword->valuestring
	                                                 : "one of several");
}

static bool
check_enum(check *c, const cJSON *keyword, const cJSON *schema,
           const cJSON *value, const place *where)
{
	(void)schema;
	for (const cJSON *one = keyword->child; one != NULL; one = one->next)
		if (wgc_json_equal(one, value))
			return true;
	return complain(c, where, "is none of the values it may be:",
	                cJSON_IsString(value) ? value->valuestring : "");
}

static bool
check_const(check *c, const cJSON *keyword, const cJSON *schema,
            const cJSON *value, const place *where)
{
	(void)schema;
	return wgc_json_equal(keyword, value) ||
	       complain(c, where, "is not the one value it may be", "");
}

static bool
check_properties(check *c, const cJSON *keyword, const cJSON *schema,
                 const cJSON *value, const place *where)
{
	(void)schema;
	if (!cJSON_IsObject(value))
		return true;
	/* In the schema's order: the tag `t` decides before what it tags. */
	for (const cJSON *inner = keyword->child; inner != NULL;
	     inner = inner->next) {
		const cJSON *m = wgc_json_get(value, inner->string);
		place here = { where, inner->string, 0 };
		if (m != NULL && !valid(c, inner, m, &here))
			return false;
	}
	return true;
}

static bool
check_required(check *c, const cJSON *keyword, const cJSON *schema,
               const cJSON *value, const place *where)
{
	(void)schema;
	if (!cJSON_IsObject(value))
		return true;
	for (const cJSON *name = keyword->child; name != NULL; name = name->next)
		if (wgc_json_get(value, name->valuestring) == NULL)
			return complain(c, where, "has no member", name->valuestring);
	return true;
}

static bool
matches(const char *pattern, const char *text)
{
	regex_t compiled;
	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	bool found = regexec(&compiled, text, 0, NULL, 0) == 0;
	regfree(&compiled);
	return found;
}

/* Of patternProperties only the names matter to additionalProperties. */
static bool
is_declared(const cJSON *schema, const char *name)
{
	if (wgc_json_get(wgc_json_get(schema, "properties"), name) != NULL)
		return true;
	const cJSON *patterns = wgc_json_get(schema, "patternProperties");
	const cJSON *p = patterns == NULL ? NULL : patterns->child;
	for (; p != NULL; p = p->next)
		if (matches(p->string, name))
			return true;
	return false;
}

static bool
check_additional(check *c, const cJSON *keyword, const cJSON *schema,
                 const cJSON *value, const place *where)
{
	if (!cJSON_IsObject(value))
		return true;
	for (const cJSON *m = value->child; m != NULL; m = m->next) {
		place here = { where, m->string, 0 };
		if (is_declared(schema, m->string))
			continue;
		if (cJSON_IsFalse(keyword))
			return complain(c, where, "has a member too many:", m->string);
		if (!valid(c, keyword, m, &here))
			return false;
	}
	return true;
}

static bool
check_pattern_properties(check *c, const cJSON *keyword, const cJSON *schema,
                         const cJSON *value, const place *where)
{
	(void)schema;
	const cJSON *m = cJSON_IsObject(value) ? value->child : NULL;
	for (; m != NULL; m = m->next)
		for (const cJSON *p = keyword->child; p != NULL; p = p->next) {
			place here = { where, m->string, 0 };
			if (matches(p->string, m->string) && !valid(c, p, m, &here))
				return false;
		}
	return true;
}

static bool
check_property_names(check *c, const cJSON *keyword, const cJSON *schema,
                     const cJSON *value, const place *where)
{
	(void)schema;
	const cJSON *m = cJSON_IsObject(value) ? value->child : NULL;
	bool holds = true;
	for (; holds && m != NULL; m = m->next) {
		cJSON *name = cJSON_CreateString(m->string);
		holds = valid(c, keyword, name, where);
		cJSON_Delete(name);
	}
	return holds;
}

static bool
check_items(check *c, const cJSON *keyword, const cJSON *schema,
            const cJSON *value, const place *where)
{
	if (!cJSON_IsArray(value))
		return true;
	const cJSON *prefix = wgc_json_get(schema, "prefixItems");
	int first = prefix == NULL ? 0 : cJSON_GetArraySize(prefix), i = 0;
	for (const cJSON *item = value->child; item != NULL;
	     item = item->next, i++) {
		place here = { where, NULL, i };
		if (i < first)
			continue;
		if (cJSON_IsFalse(keyword))
			return complain(c, where, "has an element too many", "");
		if (!valid(c, keyword, item, &here))
			return false;
	}
	return true;
}

static bool
check_prefix_items(check *c, const cJSON *keyword, const cJSON *schema,
                   const cJSON *value, const place *where)
{
	(void)schema;
	if (!cJSON_IsArray(value))
		return true;
	const cJSON *inner = keyword->child, *item = value->child;
	for (int i = 0; inner != NULL && item != NULL;
	     inner = inner->next, item = item->next, i++) {
		place here = { where, NULL, i };
		if (!valid(c, inner, item, &here))
			return false;
	}
	return true;
}

/* How many of the schemas in a list hold. Their complaints are noise, unless
 * there is only one left that could have been meant. */
static size_t
count_valid(check *c, const cJSON *list, const cJSON *value, const place *where)
{
	wgc_string *why = c->why;
	size_t count = 0;
	c->why = NULL;
	for (const cJSON *one = list->child; one != NULL; one = one->next)
		count += valid(c, one, value, where);
	c->why = why;
	return count;
}

static bool
check_any_of(check *c, const cJSON *keyword, const cJSON *schema,
             const cJSON *value, const place *where)
{
	(void)schema;
	return count_valid(c, keyword, value, where) > 0 ||
	       complain(c, where, "has none of the forms it may have", "");
}

static bool
check_one_of(check *c, const cJSON *keyword, const cJSON *schema,
             const cJSON *value, const place *where)
{
	(void)schema;
	return count_valid(c, keyword, value, where) == 1 ||
	       complain(c, where, "has not exactly one of the forms it may have", "");
}

static bool
check_all_of(check *c, const cJSON *keyword, const cJSON *schema,
             const cJSON *value, const place *where)
{
	(void)schema;
	for (const cJSON *one = keyword->child; one != NULL; one = one->next)
		if (!valid(c, one, value, where))
			return false;
	return true;
}

static bool
check_not(check *c, const cJSON *keyword, const cJSON *schema,
          const cJSON *value, const place *where)
{
	(void)schema;
	wgc_string *why = c->why;
	c->why = NULL;
	bool holds = !valid(c, keyword, value, where);
	c->why = why;
	return holds || complain(c, where, "has a form it must not have", "");
}

static bool
check_ref(check *c, const cJSON *keyword, const cJSON *schema,
          const cJSON *value, const place *where)
{
	(void)schema;
	static const char prefix[] = "#/$defs/";
	const char *name = keyword->valuestring;
	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return complain(c, where, "schema: unknown reference", name);
	const cJSON *def = wgc_json_get(wgc_json_get(c->root, "$defs"),
	                                name + sizeof(prefix) - 1);
	if (def == NULL)
		return complain(c, where, "schema: unknown reference", name);
	return valid(c, def, value, where);
}

static bool
check_pattern(check *c, const cJSON *keyword, const cJSON *schema,
              const cJSON *value, const place *where)
{
	(void)schema;
	if (!cJSON_IsString(value) ||
	    matches(keyword->valuestring, value->valuestring))
		return true;
	return complain(c, where, "is not written like", keyword->valuestring);
}

static bool
check_minimum(check *c, const cJSON *keyword, const cJSON *schema,
              const cJSON *value, const place *where)
{
	(void)schema;
	return !cJSON_IsNumber(value) ||
	       value->valuedouble >= keyword->valuedouble ||
	       complain(c, where, "is too small", "");
}

static bool
check_maximum(check *c, const cJSON *keyword, const cJSON *schema,
              const cJSON *value, const place *where)
{
	(void)schema;
	return !cJSON_IsNumber(value) ||
	       value->valuedouble <= keyword->valuedouble ||
	       complain(c, where, "is too large", "");
}

static int
size_of(const cJSON *value)
{
	if (cJSON_IsString(value))
		return (int)strlen(value->valuestring);
	return cJSON_GetArraySize(value);
}

static bool
check_least(check *c, const cJSON *keyword, const cJSON *schema,
            const cJSON *value, const place *where)
{
	(void)schema;
	return size_of(value) >= (int)keyword->valuedouble ||
	       complain(c, where, "is too short", "");
}

static bool
check_most(check *c, const cJSON *keyword, const cJSON *schema,
           const cJSON *value, const place *where)
{
	(void)schema;
	return size_of(value) <= (int)keyword->valuedouble ||
	       complain(c, where, "is too long", "");
}

static bool
check_unique(check *c, const cJSON *keyword, const cJSON *schema,
             const cJSON *value, const place *where)
{
	(void)schema;
	if (!cJSON_IsTrue(keyword) || !cJSON_IsArray(value))
		return true;
	for (const cJSON *a = value->child; a != NULL; a = a->next)
		for (const cJSON *b = a->next; b != NULL; b = b->next)
			if (wgc_json_equal(a, b))
				return complain(c, where, "has an element twice", "");
	return true;
}

static bool
check_nothing(check *c, const cJSON *keyword, const cJSON *schema,
              const cJSON *value, const place *where)
{
	(void)c, (void)keyword, (void)schema, (void)value, (void)where;
	return true;
}

static const struct {
	const char *name;
	keyword_check *check;
} keywords[] = {
	{ "type", check_type },
	{ "enum", check_enum },
	{ "const", check_const },
	{ "required", check_required },
	{ "additionalProperties", check_additional },
	{ "properties", check_properties },
	{ "patternProperties", check_pattern_properties },
	{ "propertyNames", check_property_names },
	{ "items", check_items },
	{ "prefixItems", check_prefix_items },
	{ "anyOf", check_any_of },
	{ "oneOf", check_one_of },
	{ "allOf", check_all_of },
	{ "not", check_not },
	{ "$ref", check_ref },
	{ "pattern", check_pattern },
	{ "minimum", check_minimum },
	{ "maximum", check_maximum },
	{ "minItems", check_least },
	{ "maxItems", check_most },
	{ "minLength", check_least },
	{ "maxLength", check_most },
	{ "minProperties", check_least },
	{ "maxProperties", check_most },
	{ "uniqueItems", check_unique },
	{ "title", check_nothing },
	{ "description", check_nothing },
	{ "$schema", check_nothing },
	{ "$id", check_nothing },
	{ "$defs", check_nothing },
	{ "$comment", check_nothing },
};

static bool
check_keyword(check *c, const cJSON *keyword, const cJSON *schema,
              const cJSON *value, const place *where)
{
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (strcmp(keywords[i].name, keyword->string) == 0)
			return keywords[i].check(c, keyword, schema, value, where);
	return complain(c, where, "schema: unknown keyword", keyword->string);
}

static bool
valid(check *c, const cJSON *schema, const cJSON *value, const place *where)
{
	if (cJSON_IsBool(schema))
		return cJSON_IsTrue(schema) ||
		       complain(c, where, "must not be there", "");
	if (c->depth > 4 * WGC_JSON_DEPTH)
		return complain(c, where, "is nested too deeply", "");
	c->depth++;
	bool holds = true;
	for (const cJSON *k = schema->child; holds && k != NULL; k = k->next)
		holds = check_keyword(c, k, schema, value, where);
	c->depth--;
	return holds;
}

bool
wgc_schema_valid(const cJSON *root, const char *def, const cJSON *value,
                 wgc_string *why)
{
	check c = { root, why, 0 };
	const cJSON *schema = root;
	if (def != NULL)
		schema = wgc_json_get(wgc_json_get(root, "$defs"), def);
	if (schema == NULL || value == NULL)
		return complain(&c, NULL, "there is no schema for it", "");
	return valid(&c, schema, value, NULL);
}

const cJSON *
wgc_protocol_schema(void)
{
	static cJSON *schema;
	const char *why;
	if (schema == NULL) {
		schema = wgc_json_read(wgc_protocol_schema_json,
		                       wgc_protocol_schema_json_len, &why);
		if (schema == NULL) {
			fprintf(stderr, "protocol.schema.json: %s\n", why);
			exit(5);
		}
	}
	return schema;
}
