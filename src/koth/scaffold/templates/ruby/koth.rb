# The loop of messages between koth and a bot. It need not be changed: the page to write is bot.rb.

require "json"

module Koth
  # Plays one match, from koth's hello to its goodbye: makes a bot of what it is told first, and asks it.
  def self.play(bot_class)
    bot = nil
    $stdin.each_line do |line|
      message = JSON.parse(line)
      break if message["bye"]

      if message["hello"]
        bot = bot_class.new(message["hello"])
        answer = { "ready" => true }
      else
        answer = { "ask" => message["ask"] }.merge(bot.send("answer_#{message['question']}", message))
      end
      puts JSON.generate(answer)
      $stdout.flush
    end
  end
end
