# SPDX-License-Identifier: GPL-2.0-only
# The row perlbench: words, sorting, matching and substitution over a text.
use strict;
my (%times, %pairs, $before);
my $joined = '';
while (my $line = <STDIN>) {
	for my $word ($line =~ /([a-z]+)/gi) {
		$word = lc $word;
		$times{$word}++;
		$pairs{"$before $word"}++ if defined $before;
		$before = $word;
	}
	$line =~ s/\b(\w)(\w*)\b/\u$1\L$2/g;
	$line =~ tr/aeiou/AEIOU/;
	$joined .= $line;
}
my @order = sort { $times{$b} <=> $times{$a} || $a cmp $b } keys %times;
my @pairs = sort { $pairs{$b} <=> $pairs{$a} || $a cmp $b } keys %pairs;
my $sum = 0;
for my $word (@order) {
	$sum = ($sum * 31 + ord($_)) % 65521 for split //, $word;
}
printf "%s %d %s %d %d\n", $order[0], $times{$order[0]}, $pairs[0], $sum, length $joined;
