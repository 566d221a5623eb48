# SPDX-License-Identifier: GPL-2.0-only
# The row omnetpp: TCP and constant-rate senders over a ring of routers with
# bottlenecks, as discrete events.
set ns [new Simulator]
ns-random 471
set routers 12
for {set i 0} {$i < $routers} {incr i} {
	set node($i) [$ns node]
}
for {set i 0} {$i < $routers} {incr i} {
	set next [expr ($i + 1) % $routers]
	$ns duplex-link $node($i) $node($next) [expr 2 + $i % 3]Mb 8ms DropTail
	$ns queue-limit $node($i) $node($next) 20
}
for {set i 0} {$i < $routers} {incr i} {
	set tcp [new Agent/TCP]
	set sink [new Agent/TCPSink]
	$ns attach-agent $node($i) $tcp
	$ns attach-agent $node([expr ($i * 5 + 3) % $routers]) $sink
	$ns connect $tcp $sink
	set ftp [new Application/FTP]
	$ftp attach-agent $tcp
	$ns at [expr 0.05 * $i] "$ftp start"
	set udp [new Agent/UDP]
	set null [new Agent/Null]
	$ns attach-agent $node($i) $udp
	$ns attach-agent $node([expr ($i + 4) % $routers]) $null
	$ns connect $udp $null
	set cbr [new Application/Traffic/CBR]
	$cbr set packetSize_ 300
	$cbr set rate_ 200Kb
	$cbr attach-agent $udp
	$ns at [expr 0.03 * $i] "$cbr start"
}
$ns at 12.0 "exit 0"
$ns run
