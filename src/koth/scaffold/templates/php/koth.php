<?php

// The loop of messages between koth and a bot. It need not be changed: the page to write is bot.php.

declare(strict_types=1);

/** Plays one match, from koth's hello to its goodbye: makes a bot of what it is told first, and asks it. */
function play(string $class): void
{
    $bot = null;
    while (($line = fgets(STDIN)) !== false) {
        $message = json_decode($line, true, 512, JSON_THROW_ON_ERROR);
        if (isset($message['bye'])) {
            return;
        }
        if (isset($message['hello'])) {
            $bot = new $class($message['hello']);
            $answer = ['ready' => true];
        } else {
            $method = 'answer' . str_replace('_', '', ucwords($message['question'], '_'));
            $answer = ['ask' => $message['ask']] + $bot->$method($message);
        }
        fwrite(STDOUT, json_encode($answer, JSON_THROW_ON_ERROR) . "\n");
    }
}
