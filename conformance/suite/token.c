/* token.c - tokens: numbers of seven bits a byte, in base64url. */
#include "token.h"
#include "base64url.h"
#include "protocol.h"

#include <stdlib.h>
#include <string.h>

/* --- Bytes --- */

typedef struct bytes {
	uint8_t *at;
	size_t len, cap, read;
	bool bad;
} bytes;

static void
put_byte(bytes *b, uint8_t byte)
{
	if (b->len == b->cap) {
		b->cap = b->cap * 2 + 64;
		b->at = wgc_grow(b->at, b->cap);
	}
	b->at[b->len++] = byte;
}

static void
put_number(bytes *b, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		put_byte(b, (uint8_t)(0x80 | (n & 0x7F)));
	put_byte(b, (uint8_t)n);
}

static uint64_t
get_number(bytes *b)
{
	uint64_t n = 0;
	for (unsigned shift = 0; shift < 63; shift += 7) {
		if (b->read >= b->len)
			break;
		uint8_t byte = b->at[b->read++];
		n |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			return n;
	}
	b->bad = true;
	return 0;
}

/* Fletcher's: enough to tell a word that was cut or mistyped. */
static uint16_t
checksum(const uint8_t *at, size_t len)
{
	unsigned a = 1, b = 0;
	for (size_t i = 0; i < len; i++) {
		a = (a + at[i]) % 255;
		b = (b + a) % 255;
	}
	return (uint16_t)(b << 8 | a);
}

/* --- Configuration --- */

/* The numbers of a setup that properties vary. */
static void
numbers_of(wgc_setup *setup, uint32_t **numbers, size_t *n)
{
	*n = 0;
	for (size_t i = 0; i < WGC_SOURCES; i++)
		numbers[(*n)++] = &setup->limits[i];
	numbers[(*n)++] = &setup->max_depth;
	numbers[(*n)++] = &setup->intent.depth;
	numbers[(*n)++] = &setup->intent.entries;
	numbers[(*n)++] = &setup->intent.array;
	numbers[(*n)++] = &setup->intent.bytes;
}

#define SETUP_NUMBERS (WGC_SOURCES + 5)

static void
put_setup(bytes *b, const wgc_setup *setup)
{
	wgc_setup mine = *setup, usual = wgc_setup_default();
	uint32_t *at[SETUP_NUMBERS], *other[SETUP_NUMBERS];
	size_t n;
	numbers_of(&mine, at, &n);
	numbers_of(&usual, other, &n);
	put_number(b, strcmp(setup->profile, "hardened") == 0);
	for (int c = 0; c < WGC_CHOICES; c++) {
		size_t i = 0;
		const char *option;
		while ((option = wgc_choice_option_at((wgc_choice)c, i)) != NULL &&
		       !wgc_setup_is(setup, (wgc_choice)c, option))
			i++;
		put_number(b, option == NULL ? 0 : i + 1);
	}
	for (size_t i = 0; i < n; i++)
		put_number(b, *at[i] == *other[i] ? 0 : (uint64_t)*at[i] + 1);
}

static void
get_setup(bytes *b, wgc_setup *setup)
{
	uint32_t *at[SETUP_NUMBERS];
	size_t n;
	*setup = wgc_setup_default();
	numbers_of(setup, at, &n);
	setup->profile = get_number(b) == 0 ? "reference" : "hardened";
	for (int c = 0; c < WGC_CHOICES; c++) {
		uint64_t option = get_number(b);
		if (option == 0)
			continue;
		setup->choices[c] = wgc_choice_option_at((wgc_choice)c, option - 1);
		b->bad |= setup->choices[c] == NULL;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t number = get_number(b);
		b->bad |= number > 8388609;
		if (number > 0)
			*at[i] = (uint32_t)(number - 1);
	}
}

/* --- Texts: runs, because padding is long --- */

static size_t
run_length(const wgc_text *text, size_t i)
{
	size_t n = 1;
	while (i + n < text->len && text->at[i + n] == text->at[i])
		n++;
	return n;
}

static void
put_text(bytes *b, const wgc_text *text)
{
	put_number(b, text->form);
	put_number(b, text->len);
	for (size_t i = 0; i < text->len;) {
		size_t n = run_length(text, i);
		put_number(b, (uint64_t)text->at[i] << 1 | (n > 1));
		if (n > 1)
			put_number(b, n);
		i += n;
	}
}

static void
get_text(bytes *b, wgc_text *text)
{
	uint64_t form = get_number(b), len = get_number(b);
	*text = (wgc_text){ .form = (wgc_text_form)form };
	if (form > WGC_UTF16 || len > WGC_TEXT_MAX || b->bad) {
		b->bad = true;
		return;
	}
	text->at = wgc_alloc((size_t)len * sizeof(uint32_t));
	while (text->len < len && !b->bad) {
		uint64_t item = get_number(b);
		uint64_t n = item & 1 ? get_number(b) : 1;
		if (item >> 1 > 0x10FFFF || n == 0 || n > len - text->len)
			b->bad = true;
		for (; n > 0 && !b->bad; n--)
			text->at[text->len++] = (uint32_t)(item >> 1);
	}
}

/* --- Whole tokens --- */

static void
put_values(bytes *b, const wgc_case *what)
{
	put_number(b, what->numbers);
	for (size_t i = 0; i < what->numbers; i++)
		put_number(b, what->number[i]);
	put_number(b, what->texts);
	for (size_t i = 0; i < what->texts; i++)
		put_text(b, &what->text[i]);
}

static void
get_values(bytes *b, wgc_case *what)
{
	uint64_t n = get_number(b);
	b->bad |= n > WGC_CASE_NUMBERS;
	for (; n > 0 && !b->bad; n--)
		what->number[what->numbers++] = (uint32_t)get_number(b);
	n = get_number(b);
	b->bad |= n > WGC_CASE_TEXTS;
	for (; n > 0 && !b->bad; n--)
		get_text(b, &what->text[what->texts++]);
}

char *
wgc_token_write(const wgc_property *property, const wgc_setup *setup,
                const wgc_case *what)
{
	bytes b = { 0 };
	put_number(&b, WGC_GENERATOR_VERSION);
	put_number(&b, strlen(property->id));
	for (const char *p = property->id; *p != '\0'; p++)
		put_byte(&b, (uint8_t)*p);
	put_setup(&b, setup);
	if (property->method->play == NULL) {
		put_values(&b, what);
	} else {
		size_t n = what->choices->len;
		while (n > 0 && what->choices->at[n - 1] == 0)
			n--; /* what is not given is 0 */
		put_number(&b, n);
		for (size_t i = 0; i < n; i++)
			put_number(&b, what->choices->at[i]);
	}
	uint16_t sum = checksum(b.at, b.len);
	put_byte(&b, (uint8_t)(sum >> 8));
	put_byte(&b, (uint8_t)sum);
	char *text = wgc_base64url(b.at, b.len);
	free(b.at);
	return text;
}

static const wgc_property *
property_named(bytes *b)
{
	uint64_t len = get_number(b);
	if (b->bad || len > b->len - b->read)
		return NULL;
	const char *id = (const char *)b->at + b->read;
	b->read += (size_t)len;
	for (size_t i = 0; wgc_properties[i] != NULL; i++)
		if (strlen(wgc_properties[i]->id) == len &&
		    memcmp(wgc_properties[i]->id, id, (size_t)len) == 0)
			return wgc_properties[i];
	return NULL;
}

static void
get_choices(bytes *b, wgc_token *token)
{
	uint64_t n = get_number(b);
	b->bad |= n > WGC_CHOICES_MAX;
	for (; n > 0 && !b->bad; n--)
		token->at[token->len++] = (uint32_t)get_number(b);
}

/* A word, or why it is none. */
static const char *
read_bytes(bytes *b, wgc_token *token)
{
	if (b->len < 4)
		return "too short for a token";
	b->len -= 2;
	if (checksum(b->at, b->len) !=
	    (uint16_t)(b->at[b->len] << 8 | b->at[b->len + 1]))
		return "cut or mistyped: its checksum is wrong";
	if (get_number(b) != WGC_GENERATOR_VERSION)
		return "of another version of the generators";
	token->property = property_named(b);
	if (token->property == NULL)
		return "of a property that this suite does not have";
	get_setup(b, &token->setup);
	token->played = token->property->method->play != NULL;
	if (token->played)
		get_choices(b, token);
	else
		get_values(b, &token->values);
	return b->bad || b->read != b->len ? "no token" : NULL;
}

bool
wgc_token_read(const char *text, wgc_token *token, const char **why)
{
	bytes b = { 0 };
	*token = (wgc_token){ .property = NULL };
	*why = wgc_unbase64url(text, &b.at, &b.len) ? read_bytes(&b, token)
	                                            : "not base64url";
	free(b.at);
	if (*why != NULL)
		wgc_token_clear(token);
	return *why == NULL;
}

void
wgc_token_clear(wgc_token *token)
{
	for (size_t i = 0; i < token->values.texts; i++)
		wgc_text_clear(&token->values.text[i]);
	token->values.texts = 0;
}

const wgc_property *
wgc_token_property(const char *token, const char **why)
{
	wgc_token read;
	if (!wgc_token_read(token, &read, why))
		return NULL;
	wgc_token_clear(&read);
	return read.property;
}
