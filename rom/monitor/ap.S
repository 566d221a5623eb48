	.globl ap_stub, ap_stub_size, ap_stub_gdtr_base, ap_stub_entry
	.section .text16, "ax"
ap_stub: .skip 16
	.set ap_stub_size, 16
	.set ap_stub_gdtr_base, 0
	.set ap_stub_entry, 4
