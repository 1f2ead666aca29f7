# «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

require "json"

«choices»

# A bot in one match. koth reads stdout: print to stderr (warn).
class Bot
  def initialize(hello)
    # What holds for the whole match:
    #   «hello»
    @hello = hello
    @dice = Random.new(hello["seed"])
  end
«questions»

  def answer_«name»(question)
    # «about»
    «answer»
  end
«end»
end

bot = nil
$stdin.each_line do |line|
  message = JSON.parse(line)
  break if message["bye"]

  if message["hello"]
    bot = Bot.new(message["hello"])
    answer = { "ready" => true }
  else
    answer = { "ask" => message["ask"] }.merge(bot.send("answer_#{message['question']}", message))
  end
  puts JSON.generate(answer)
  $stdout.flush
end
