// «title»: a first bot, which plays anything that is allowed.
//
// This page is all there is to write.
// What it is told and may answer stands in koth.go. Print to stderr (println does): koth reads stdout.

package main

import "math/rand"

// Mine is made when the match begins.
type Mine struct {
	hello Hello
	dice  *rand.Rand
}
<% for each in asked %>

// «method(each)»: «each.doc»
func (mine *Mine) «method(each)»(question «each.question.name») «each.answer.name» {
	answer := «each.answer.name»{}
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
	answer.«field(member.key)» = «type(member.shape)»{}
	for _, «unit(each)» := range question.«field(each.units.key)» {
		answer.«field(member.key)»[«unit(each)»«"." + field(each.label) if each.label»] = «value(member.shape.value, each.example[member.key].values()|first)»
	}
<% else %>
	answer.«field(member.key)» = «value(member.shape, each.example[member.key])»
<% endif %>
<% endfor %>
	return answer
}
<% endfor %>

func main() {
	Play(func(hello Hello) Bot {
		return &Mine{hello, rand.New(rand.NewSource(hello.Seed))}
	})
}
