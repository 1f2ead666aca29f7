<?php

// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// Print to stderr (error_log): koth reads stdout.

declare(strict_types=1);

require __DIR__ . '/koth.php';
<% for shape in picked %>

const «upper(shape.name)» = [
<% for value in shape.values %>
    '«value»',
<% endfor %>
];
<% endfor %>

final class Mine
{
    private array $hello;

    /**
     * $hello tells what is the same for the whole match:
<% for row in match_info %>
     *   «row»
<% endfor %>
     */
    public function __construct(array $hello)
    {
        $this->hello = $hello;
        mt_srand($hello['seed']);
    }
<% for each in asked %>

    /**
     * «each.doc»
<% for title, rows in tables(each) %>
     *
     * «title»:
<% for row in rows %>
     *   «row»
<% endfor %>
<% endfor %>
     */
    public function «method(each)»(array $question): array
    {
<% for member in each.answer.members if kind(member.shape) == "ByNumber" %>
        $«field(member.key)» = [];
        foreach ($question['«each.units.key»'] as $«unit(each)») {
            $«field(member.key)»[$«unit(each)»«"['%s']" % each.label if each.label»] = «value(member.shape.value, each.example[member.key].values()|first)»;
        }
<% endfor %>
        return [
<% for member in each.answer.members %>
            '«member.key»' => «"(object) $" + field(member.key) if kind(member.shape) == "ByNumber" else value(member.shape, each.example[member.key])»,
<% endfor %>
        ];
    }
<% endfor %>
}

/** One of these, all alike. */
function pick(array $all): mixed
{
    return $all[mt_rand(0, count($all) - 1)];
}

play(Mine::class);
