# «title»: a first bot, which plays anything that is allowed.
#
# This page is all there is to write.
# Print to stderr (warn): koth reads stdout.

require_relative "koth"
<% for shape in picked %>

«upper(shape.name)» = [
<% for value in shape.values %>
  "«value»",
<% endfor %>
].freeze
<% endfor %>

class Mine
  # hello tells what is the same for the whole match:
<% for row in match_info %>
  #   «row»
<% endfor %>
  def initialize(hello)
    @hello = hello
    @dice = Random.new(hello["seed"])
  end
<% for each in asked %>

  # «each.doc»
<% for title, rows in tables(each) %>
  #
  # «title»:
<% for row in rows %>
  #   «row»
<% endfor %>
<% endfor %>
  def answer_«each.name»(«"" if each.units else "_"»question)
    {
<% for member in each.answer.members %>
<% if kind(member.shape) == "ByNumber" %>
      "«member.key»" => question["«each.units.key»"].to_h do |«unit(each)»|
        [«unit(each)»«'["%s"]' % each.label if each.label», «value(member.shape.value, each.example[member.key].values()|first)»]
      end,
<% else %>
      "«member.key»" => «value(member.shape, each.example[member.key])»,
<% endif %>
<% endfor %>
    }
  end
<% endfor %>
end

Koth.play(Mine)
