# SPDX-License-Identifier: GPL-2.0-only
# The row sjeng: answers of sjeng at a fixed depth. It looks for input while it
# thinks, and stops thinking if there is some, so that each command has to wait
# for the answer to the one before.
use strict;
use IPC::Open2;
my ($depth, @moves) = @ARGV;
my $pid = open2(my $from, my $to, '/usr/games/sjeng');
print $to "xboard\nsd $depth\nst 1000000\n";
for my $move (@moves) {
	my $answer;
	print $to "$move\n";
	while (defined($answer = <$from>) && $answer !~ /^move /) {
		die "sjeng: $answer" if $answer =~ /^Illegal|^Error/;
	}
	die "sjeng ended without an answer to $move\n" if !defined $answer;
	print $answer;
}
print $to "quit\n";
1 while <$from>;
waitpid $pid, 0;
exit $? >> 8;
