// SPDX-License-Identifier: GPL-2.0-only
/*
 * Binds the ROM's entries to the op table.
 *
 * Owns: which slot gets which code, expanded from the op list.
 * Not here: the driver's functions behind `FN` ops (`cpu.c`, `mmu.c`, `lazy.c`);
 *           the iret op (`iret.c`).
 * Runs: once, at activation, IRQs off; prints nothing, since printing needs the very
 *       ops that are being bound.
 * Fails: a call that the ROM does not provide leaves its ops native.
 */
#include <linux/string.h>
#include <asm/asm.h>

#include "call.h"
#include "driver.h"
#include "ops.h"
#include "stub.h"

/* Which calls keep every register but their results and the flags. */
#define KEEPS_STD	0
#define KEEPS_VOID	0
#define KEEPS_NORET	0
#define KEEPS_FLAGS	1
#define KEEPS_FLAGSS	1
#define KEEPS_RESULT	1
#define KEEPS_STRING	0

static const struct {
	const char *name;
	bool keeps;
} calls[VMI_CALL_NR] = {
#define CALL_ROW(nr, name, class)	{ #name, KEEPS_##class },
	VMI_CALLS(CALL_ROW)
};

/**
 * struct binding - how one op is bound
 * @slot: index into the table
 * @call: its VMI call
 * @direct: the ROM's own entry may stand in the slot
 * @save: the slot is SAVE
 * @result: PV_RESULT_*
 * @code: driver function, or thunk around the ROM's entry
 */
struct binding {
	u8 slot;
	u8 call;
	bool direct;
	bool save;
	u8 result;
	void *code;
};

/* Thunks: what a SAVE slot needs in front of code that is a C function. */
#define THUNK_SAME(...)
#define THUNK_ROM(group, slot, conv, result, call)			\
	THUNK_ROM_##conv(group, slot, result, call)
#define THUNK_ROM_STD(group, slot, result, call)
#define THUNK_ROM_SAVE(group, slot, result, call)			\
	void vmi_rom_##group##_##slot(void);				\
	PV_SAVE_THUNK("vmi_rom_" #group "_" #slot, "vmi_entry_" #call,	\
		      ".noinstr.text", PV_THUNK_PUSH_##result, PV_THUNK_POP_##result);
#define THUNK_ASM(...)
#define THUNK_FN(group, slot, conv, result, call)			\
	THUNK_FN_##conv(group, slot, result)
#define THUNK_FN_STD(group, slot, result)
#define THUNK_FN_SAVE(group, slot, result)				\
	void vmi_save_##group##_##slot(void);				\
	PV_SAVE_THUNK("vmi_save_" #group "_" #slot, "vmi_" #group "_" #slot, \
		      ".noinstr.text", PV_THUNK_PUSH_##result, PV_THUNK_POP_##result);

#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	THUNK_##vmi(group, slot, conv, result, call)
#include <asm/pv_list.h>

/* Rows. */
#define IS_SAVE_STD	false
#define IS_SAVE_SAVE	true
#define CODE_ROM_STD(group, slot, result)	NULL
#define CODE_ROM_SAVE(group, slot, result)	vmi_rom_##group##_##slot
#define CODE_FN_STD(group, slot, result)	vmi_##group##_##slot
#define CODE_FN_SAVE(group, slot, result)	vmi_save_##group##_##slot
#define CODE_ASM_SAVE(group, slot, result)	vmi_##group##_##slot

#define ROW_SAME(...)
#define ROW_ROM(...)	ROW(ROM, true, __VA_ARGS__)
#define ROW_FN(...)	ROW(FN, false, __VA_ARGS__)
#define ROW_ASM(...)	ROW(ASM, false, __VA_ARGS__)
#define ROW(how, is_direct, group, slot_, conv, result_, call_) {	\
	.slot = PARAVIRT_PATCH(group.slot_),				\
	.call = VMI_CALL_##call_,					\
	.direct = is_direct,						\
	.save = IS_SAVE_##conv,						\
	.result = PV_RESULT_##result_,					\
	.code = CODE_##how##_##conv(group, slot_, result_),		\
},

static const struct binding bindings[] __initconst = {
#define PV_OP(group, slot, form, conv, result, params, native, vmi, call) \
	ROW_##vmi(group, slot, conv, result, call)
#include <asm/pv_list.h>
};

/**
 * vmi_call_name() - a call's name in the ABI
 * @call: below VMI_CALL_NR
 */
const char *vmi_call_name(unsigned int call)
{
	return calls[call].name;
}

/**
 * vmi_bind_stubs() - let vmi_entry_*() reach the ROM
 *
 * Context: activation, text still writable. Nothing ran the stubs before, and a jump
 * lies between here and their first use, so that no CPU holds the old bytes.
 */
void __init vmi_bind_stubs(void)
{
	unsigned int i;

	for (i = 0; i < VMI_CALL_NR; i++) {
		u8 *stub = vmi_stubs[i];
		s32 rel = vmi.reloc[i].eip - ((unsigned long)stub + 5);

		if (!vmi_has(i))
			continue;
		stub[0] = 0xe9;
		memcpy(stub + 1, &rel, sizeof(rel));
	}
}

/* The code for a slot; NULL: native. */
static void * __init code_for(const struct binding *b)
{
	const struct vmi_reloc *reloc = &vmi.reloc[b->call];

	/*
	 * NOP: the ROM does not need the instruction. As historical guests had it,
	 * this counts only where its entry itself would be the op.
	 */
	if (reloc->type == VMI_RELOC_NOP)
		return b->direct && b->result == PV_RESULT_void ? paravirt_nop : NULL;
	if (reloc->type != VMI_RELOC_CALL_REL)
		return NULL;
	if (b->direct && (!b->save || calls[b->call].keeps))
		return (void *)(unsigned long)reloc->eip;
	return b->code;
}

/**
 * vmi_bind_ops() - set the slots that the ROM serves
 *
 * All but irq.iret, which vmi_bind_iret() sets.
 */
void __init vmi_bind_ops(void)
{
	void **slots = (void **)&pv_ops;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bindings); i++) {
		void *code = code_for(&bindings[i]);

		if (code && bindings[i].slot != PV_IRET_NR)
			slots[bindings[i].slot] = code;
	}
}

/**
 * vmi_mute_irq_ops() - let panic() print at a ring where CLI faults
 *
 * Only for a kernel that is about to stop.
 */
void __init vmi_mute_irq_ops(void)
{
	pv_ops.irq.save_fl.func = vmi_no_flags;
	pv_ops.irq.irq_disable.func = paravirt_nop;
	pv_ops.irq.irq_enable.func = paravirt_nop;
}
