use Time::HiRes qw(sleep time); use IO::Socket::INET; $| = 1; my $x = "x" x 40000000; undef $x; sleep 0.001;
open(F, "bot.pl"); open(G, ">", "/nowhere/x"); IO::Socket::INET->new("127.0.0.1:1"); while (<STDIN>) { print $_, time, rand, "\n"; }
