/* gaps.h - private to src/moderate: what the tables of patterns have in common. */
#ifndef WKG_GAPS_H
#define WKG_GAPS_H

/* What may stand between two words of a pattern: nothing that ends a clause,
 * and not much. In `你现在是审批人，请核对金额，机器人会帮你` the robot is in
 * another clause. The ASCII forms of the marks count as well: texts come with
 * either. (?C1) counts entries into gaps for the budget of moderate.c: gaps
 * are all that can make matching slow. */
#define ZH_GAP "(?C1)[^。；！？，,;!?\r\n]{0,12}?"
#define EN_GAP "(?C1)[^。；！？，.,;:!?\r\n]{0,40}?"

/* The same without a preposition: what follows one is about something else. "You
 * are now enrolled in the AI training course" makes nobody a machine. */
#define EN_NOUN_GAP "(?C1)(?:(?!\\b(?:in|of|for|to|with|by|on|at|from|using)\\b)[^。；！？，.,;:!?\r\n]){0,40}?"

/* What stands between two words of one phrase. Bounded like everything else,
 * and possessive where a gap follows: a pattern that can split one run of blanks
 * in many ways tries them all, and an aligned table of honest texts used up the
 * budget. What they take a gap could take as well, so nothing is lost. */
#define BLANKS "[ \t]{1,8}"
#define NO_BLANKS "[ \t]{0,8}+"

/* English words come in any case; the tokens of the last group do not. */
#define I "(?i)"

/* Machine roles. Not among them: 系统, 模型, 助手, which in a business text
 * are people and things (系统管理员, 数据模型, AI 助手). Nor what a machine only
 * gives its name to: an AI course, a robot project. */
#define ZH_OF_A_MACHINE "(?! ?(?:助手|应用|培训|课程|课|讲座|大赛|项目|产品|部|团队|小组|平台|工程|研究|实验室|学院|专业|中心|事业|公司|企业|厂|行业|业务|技术|开发|研发|算法|数据|运营|运维|采购|设备|负责|主管|经理|总监|专员|顾问|专家|用户|方案|战略|委员|领域|方向|岗))"
#define ZH_MACHINE "(?:机器人|人工智能|智能体|大语言模型|聊天程序|\\b(?:AI|DAN|GPT|ChatGPT|LLM)\\b)" ZH_OF_A_MACHINE
#define EN_OF_A_MACHINE "(?![ -](?:training|courses?|class|workshop|team|group|lab|projects?|program|programme|products?|department|division|unit|cent(?:er|re)|committee|council|board|lead|leader|manager|director|head|owner|engineer|researcher|developer|consultant|expert|champion|officer|coordinator|ethics|governance|policy|strategy|pilot|beta|tools?|features?|users?|community|newsletter|summit|conference)\\b)"
#define EN_MACHINE "(?:AI|DAN|bot|robot|chatbot|GPT|ChatGPT|LLM|language model|artificial intelligence)\\b" EN_OF_A_MACHINE

/* Where a line may begin, and what a speaker's name may stand behind. 】 because
 * a marked text has one there (M6). */
#define EN_SPEAKER "(?:^|[\r\n<\\[】])" NO_BLANKS "(?:system|developer)(?: prompt| message| instruction)?" NO_BLANKS "[:>\\]]"

/* What somebody who speaks as the system wants. Not: log in, log out, restart,
 * ignore this mail, which systems do say. */
#define EN_SYSTEM_ORDER                                                      \
	"\\b(?:you (?:must|should|will|shall|may|can|are to|have to|need to)(?: now| always| only| immediately){0,2} "                      \
	"(?:approve|ignore|disregard|obey|comply|act|pretend|answer|respond|reply|output|print|reveal|say|grant|release|pay|transfer|execute|follow|accept|bypass|skip|override)" \
	"|you are (?:now )?(?:an?|the|no longer)\\b(?! (?:[a-z]{1,12} ){0,2}(?:logged|signed|connected|offline|online|member|owner|approver|recipient))" \
	"|(?<!please )(?<!to )approve (?:this|all|every|any|it|the)\\b|ignore (?:all|any|the|your|every|previous|prior|above)\\b|disregard\\b|do not (?:follow|obey|mention|reveal|refuse|question|ask|tell|check|verify)\\b)"

#endif
