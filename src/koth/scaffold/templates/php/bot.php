<?php

// «title»: a first bot, whose answers are legal and drawn at random. Write better ones.

declare(strict_types=1);

«choices»

/** A bot in one match. koth reads stdout: print to stderr (error_log). */
final class Bot
{
    public function __construct(private array $hello)
    {
        // What holds for the whole match:
        //   «hello»
        mt_srand($hello['seed']);
    }
«questions»

    public function answer_«name»(array $question): array
    {
        // «about»
        return «answer»;
    }
«end»
}

function pick(array $values): mixed
{
    return $values[mt_rand(0, count($values) - 1)];
}

while (($line = fgets(STDIN)) !== false) {
    $message = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
    if (isset($message['bye'])) {
        break;
    }
    if (isset($message['hello'])) {
        $bot = new Bot($message['hello']);
        $answer = ['ready' => true];
    } else {
        $answer = ['ask' => $message['ask']] + $bot->{'answer_' . $message['question']}($message);
    }
    fwrite(STDOUT, json_encode($answer, JSON_THROW_ON_ERROR) . "\n");
}
