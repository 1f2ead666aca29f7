// «title»: what a bot is told and may answer, as types, and the loop of messages.
//
// Made by `koth new` from the game's declaration. It need not be changed: the page to write is bot.go.

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// A Bot plays one match. bot.go has one.
type Bot interface {
<% for each in asked %>
	// «method(each)»: «each.doc»
	«method(each)»(question «each.question.name») «each.answer.name»
<% endfor %>
}

// --- what is told and answered
<% for shape in named %>

<% for line in doc(shape) or ["A value of messages."] %>
// «shape.name + ": " if loop.first»«line»
<% endfor %>
<% if kind(shape) == "Enum" %>
type «shape.name» string

// All that «shape.name» may be.
const (
<% filter columns %>
<% for value in shape.values %>
	«shape.name»«pascal(value)»¦«shape.name»¦= "«value»"
<% endfor %>
<% endfilter %>
)

// All«shape.name» lists them.
var All«shape.name» = []«shape.name»{
<% for value in shape.values %>
	«shape.name»«pascal(value)»,
<% endfor %>
}
<% elif kind(shape) == "Record" %>
type «shape.name» struct {
<% filter columns %>
<% for member in shape.members %>
<% if member.doc %>
	// «sentence(member.doc)»
<% endif %>
	«field(member.key)»¦«type(member.shape)»«'' if shape.row else '¦`json:"%s"`' % member.key»
<% endfor %>
<% endfilter %>
}
<% if shape.row and shape.name in told %>

// UnmarshalJSON reads the list as which it is written.
func (it *«shape.name») UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{
<%- for member in shape.members %>«", " if not loop.first»&it.«field(member.key)»<% endfor %>
})
}
<% endif %>
<% if shape.row and shape.name in said %>

// MarshalJSON writes the list that it is.
func (it «shape.name») MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{
<%- for member in shape.members %>«", " if not loop.first»it.«field(member.key)»<% endfor %>
})
}
<% endif %>
<% elif shape.name in said %>
type «shape.name» interface{ is«shape.name»() }
<% for case in shape.cases %>

func («type(case.shape)») is«shape.name»() {}
<% endfor %>
<% else %>
type «shape.name» struct {
<% for case in shape.cases %>
	// «pascal(case.key)» is nil where it is something else.
	«pascal(case.key)» *«type(case.shape)»
<% endfor %>
}

// UnmarshalJSON finds out what it is.
func (it *«shape.name») UnmarshalJSON(data []byte) error {
	switch {
<% for case in shape.cases %>
	case «first_byte[in_json(case.shape)]»:
		return json.Unmarshal(data, &it.«pascal(case.key)»)
<% endfor %>
	}
	return fmt.Errorf("no «shape.name»: %s", data)
}
<% endif %>
<% endfor %>

// --- a match

// Play plays one match, from koth's hello to its goodbye.
func Play(newBot func(hello Hello) Bot) {
	var bot Bot
	out := json.NewEncoder(os.Stdout)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var message struct {
			Hello    *Hello `json:"hello"`
			Ask      int    `json:"ask"`
			Question string `json:"question"`
			Bye      bool   `json:"bye"`
		}
		must(json.Unmarshal(line, &message))
		switch {
		case message.Hello != nil:
			bot = newBot(*message.Hello)
			must(out.Encode(map[string]bool{"ready": true}))
<% for each in asked %>
		case message.Question == "«each.name»":
			var question «each.question.name»
			must(json.Unmarshal(line, &question))
			must(out.Encode(struct {
				Ask int `json:"ask"`
				«each.answer.name»
			}{message.Ask, bot.«method(each)»(question)}))
<% endfor %>
		case message.Bye:
			return
		default:
			panic(fmt.Sprintf("no question of this game: %s", line))
		}
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
