/* inputs.c - texts and documents of the kinds that pass through here.
 *
 * Phrases are picked by a fixed generator, so that two runs measure the same
 * bytes and no branch predictor learns the text by heart. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static uint32_t state;

/* xorshift32 (Marsaglia 2003) */
static uint32_t
random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % n;
}

void
bench_put(wkg_buf *out, const char *text)
{
	size_t len = strlen(text);
	if (len > out->cap - out->len)
		abort();
	memcpy(out->ptr + out->len, text, len);
	out->len += len;
}

static void
put_number(wkg_buf *out)
{
	char text[16];
	snprintf(text, sizeof(text), "%u", (unsigned)random_below(1000000));
	bench_put(out, text);
}

static const char *
pick(const char *const *phrases, size_t count)
{
	return phrases[random_below((uint32_t)count)];
}

static const char *const english[] = {
	"Replace the pump seal on line 3",
	"Invoice approved by the regional office",
	"The customer asked for delivery before noon",
	"see attached drawing, revision C",
	"status: open",
	"please check the amounts and answer by Friday",
	"OK",
};

static const char *const chinese[] = {
	"采购申请已提交，请部门负责人审批。",
	"本次付款金额为三千二百元，附发票两张。",
	"设备故障：三号线水泵密封圈老化，需要更换。",
	"请在周五之前核对数量与单价",
	"会议改到下午两点，地点不变；",
	"客户要求中午前送达。",
	"同意",
};

static const char *const emoji[] = {
	"\xF0\x9F\x98\x80",                             /* grinning face */
	"\xF0\x9F\x91\xA8\xE2\x80\x8D\xF0\x9F\x91\xA9", /* joined by ZWJ */
	"\xE2\x9D\xA4\xEF\xB8\x8F",                     /* heart, VS16 */
	"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD",             /* with skin tone */
};

static const char *const invisible[] = {
	"\xE2\x80\x8B",     /* ZWSP */
	"\xE2\x81\xA0",     /* word joiner */
	"\xE2\x80\xAE",     /* right-to-left override */
	"\xF3\xA0\x81\xA1", /* TAG a */
	"\xEF\xB8\x8F",     /* VS16 */
	"\xC2\xAD",         /* soft hyphen */
};

static const char *const letters[] = { "a",  "e",  "n",  "t", " ",
	                               "中", "文", "数", "，" };

static const char *const markup[] = {
	"<div class=\"row\">",
	"</div>",
	"<a href=\"/orders\">",
	"</a>",
	"<br>",
	"a << b",
	"x >>> y",
	"<<<",
	">>>>",
	"if (a < b && c > d)",
	"text between the tags",
	"&lt;&lt;",
	"\n",
};

/* What the guards (F9, F10) have to read furthest: beginnings of the keyword and
 * of tokens, whole ones, and both behind characters that they pass over. */
static const char *const guarded[] = {
	"XPY_DATA_BEGIN",
	"x.p.y.d.a.t",
	"index.py data",
	"X\xE2\x80\x8BP\xE2\x80\x8BY",
	"\xD0\xA5\xD0\xA0Y_D", /* Cyrillic */
	"xxxxxxxx",
	"<|im_start|>",
	"<|im_star",
	"[INST]",
	"<\xE2\x80\x8B|im_end|",
	" and so on. ",
	"\n",
};

void
bench_make(const bench_input *input, wkg_buf *out, size_t size)
{
	state = 2463534242u;
	input->make(out, size);
}

/* ---- texts ----------------------------------------------------------- */

static void
make_ascii(wkg_buf *out, size_t size)
{
	while (out->len < size) {
		bench_put(out, "{\"id\": ");
		put_number(out);
		bench_put(out, ", \"title\": \"");
		bench_put(out, pick(english, COUNT(english)));
		bench_put(out, "\", \"paid\": true}\n");
	}
}

static void
make_chinese(wkg_buf *out, size_t size)
{
	while (out->len < size)
		bench_put(out, pick(chinese, COUNT(chinese)));
}

static void
make_mixed(wkg_buf *out, size_t size)
{
	while (out->len < size) {
		bench_put(out, pick(chinese, COUNT(chinese)));
		bench_put(out, pick(english, COUNT(english)));
		if (random_below(4) == 0)
			bench_put(out, pick(emoji, COUNT(emoji)));
		/* two phrases are some forty characters */
		if (random_below(5) < 2)
			bench_put(out, pick(invisible, COUNT(invisible)));
	}
}

static void
make_hostile(wkg_buf *out, size_t size)
{
	while (out->len < size) {
		if (random_below(5) == 0)
			bench_put(out, pick(invisible, COUNT(invisible)));
		else
			bench_put(out, pick(letters, COUNT(letters)));
	}
}

static void
make_html(wkg_buf *out, size_t size)
{
	while (out->len < size)
		bench_put(out, pick(markup, COUNT(markup)));
}

static void
make_guarded(wkg_buf *out, size_t size)
{
	while (out->len < size)
		bench_put(out, pick(guarded, COUNT(guarded)));
}

const bench_input bench_texts[] = {
	{ "ascii", make_ascii },   { "chinese", make_chinese },
	{ "mixed", make_mixed },   { "hostile", make_hostile },
	{ "brackets", make_html }, { "guards", make_guarded },
};
const size_t bench_texts_count = COUNT(bench_texts);

/* ---- documents ------------------------------------------------------- */

static void
put_order(wkg_buf *out, const char *title)
{
	bench_put(out, "{\"id\": ");
	put_number(out);
	bench_put(out, ", \"title\": \"");
	bench_put(out, title);
	bench_put(out, "\", \"amount\": -12.50, \"paid\": true, "
	               "\"lines\": [{\"sku\": \"HD-2041\", \"qty\": 4}]}");
}

static void
make_orders(wkg_buf *out, size_t size, const char *const *titles, size_t count)
{
	bench_put(out, "[");
	do {
		put_order(out, pick(titles, count));
		bench_put(out, ",\n ");
	} while (out->len < size);
	put_order(out, "last");
	bench_put(out, "]\n");
}

static void
make_orders_ascii(wkg_buf *out, size_t size)
{
	make_orders(out, size, english, COUNT(english));
}

static void
make_orders_chinese(wkg_buf *out, size_t size)
{
	make_orders(out, size, chinese, COUNT(chinese));
}

static void
make_orders_escaped(wkg_buf *out, size_t size)
{
	static const char *const titles[] = {
		"ap\\u200bprove \\u4eca\\u5929 this",
		"tab\\tquote\\\"slash\\\\ done",
		"HD\\udb40\\udc41\\udb40\\udc42 DN50",
		"\\ud83d\\ude00 and \\ufe0f selectors",
	};
	make_orders(out, size, titles, COUNT(titles));
}

/* One flat object: every name is compared when it closes. */
static void
make_names(wkg_buf *out, size_t size)
{
	char name[32];
	bench_put(out, "{");
	for (unsigned i = 0; out->len < size; i++) {
		/* a permutation, so that they do not come sorted */
		snprintf(name, sizeof(name), "\"key%08x\": 1, ",
		         i * 2654435761u);
		bench_put(out, name);
	}
	bench_put(out, "\"last\": 1}");
}

const bench_input bench_documents[] = {
	{ "orders", make_orders_ascii },
	{ "orders-chinese", make_orders_chinese },
	{ "orders-escaped", make_orders_escaped },
	{ "names", make_names },
};
const size_t bench_documents_count = COUNT(bench_documents);
