/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shadow page tables: what the hardware walks in place of the guest's tables.
 *
 * Owns: every shadow page, by guest frame and kind; accessed and dirty bits.
 * Not here: the hole (`mem.c`), who calls when (`calls.c`, `trap.c`).
 * Runs: any vCPU, under `mmu_lock`; all shadows but roots are shared.
 * Fails: not for lack of pages: tables are emptied in turn and used again.
 *
 * A shadow entry is present only if the guest's entry is present and accessed,
 * and writable only if that is dirty: so the hardware reports the first access
 * and the first write, and we set the guest's bits. Entries of directories are
 * filled by faults alone. Nothing is taken from a table that the guest might
 * have changed without telling, except that present entries stay until told.
 *
 * A page keeps its level for ever. A CPU that still holds a pointer to a shadow
 * table in its paging caches may only ever find guest frames there.
 */
#include "monitor.h"

enum kind {
	KIND_FREE,
	KIND_TABLE,		/* of a guest's page table */
	KIND_SPLIT,		/* of a guest's large page that has a frame of ours */
	KIND_DIR,		/* PAE: page directory */
	KIND_TOP,		/* PAE: the same, with the hole; per vCPU */
	KIND_ROOT,		/* not PAE: page directory; per vCPU */
};

#define NO_FRAME	0xffffffffu
#define FRAMES_4GIB	0x100000u

/**
 * struct shadow - one shadow page
 * @gfn: guest frame of the table, or first frame of a large page
 * @next: of the same frame; or of the free list
 * @vcpu: whose, for the kinds that are per vCPU
 * @touched: bit per 128 bytes that may hold entries
 * @refs: directory entries for users that point here
 * @kernel: others may point here, too, uncounted
 */
struct shadow {
	u32	gfn;
	u16	next;
	u8	kind;
	u8	vcpu;
	u32	touched;
	u16	refs;
	u8	kernel;
	u8	unused;
};

struct free_list {
	u16	first, last;
	u32	made;		/* pages of this level */
	u32	free;
	u16	hand;		/* where the search for a victim goes on */
};

static struct shadow *shadows;	/* [0] is not used */
static u32 shadow_count, fresh;
static u32 pool;		/* linear address of shadow 1's page */
static u16 *heads;		/* by guest frame: its first shadow */
static u16 *filter_count;
static u32 *filter;
static struct free_list tables, directories;

/* Changes whenever a directory's shadow comes or goes. */
static u32 generation;
static u32 reclaimed, made_by_kind[KIND_ROOT + 1];

static inline void *page_of(u32 s)
{
	return (void *)(pool + (s - 1) * PAGE_SIZE);
}

static u32 entries_per_page(void)
{
	return PAE ? 512 : 1024;
}

static u32 entry_index(u32 address, u32 level)
{
	if (PAE)
		return level ? address >> 21 & 511 : address >> 12 & 511;
	return level ? address >> 22 : address >> 12 & 1023;
}

/* A guest's entry; its halves may change while we look. */
static inline u64 guest_entry(const volatile u32 *table, u32 index)
{
	u32 low, high;

	if (!PAE)
		return table[index];
	do {
		low = table[index * 2];
		high = table[index * 2 + 1];
	} while (table[index * 2] != low);
	return (u64)high << 32 | low;
}

/* Sets accessed and dirty bits. Returns 0 if the entry changed meanwhile. */
static int guest_mark(u32 *table, u32 index, u64 *entry, u32 bits)
{
	u32 *low = &table[PAE ? index * 2 : index];
	u32 old = (u32)*entry;

	if ((old & bits) == bits)
		return 1;
	asm volatile("lock cmpxchgl %2, %1"
		     : "+a" (old), "+m" (*low) : "r" (old | bits) : "memory", "cc");
	if (old != (u32)*entry)
		return 0;
	*entry |= bits;
	return 1;
}

static inline u64 shadow_entry(u32 s, u32 index)
{
	return PAE ? ((u64 *)page_of(s))[index] : ((u32 *)page_of(s))[index];
}

static inline void shadow_set(u32 s, u32 index, u64 entry)
{
	volatile u32 *at = page_of(s);

	if (!PAE) {
		at[index] = (u32)entry;
		shadows[s].touched |= 1u << (index >> 5);
		return;
	}
	at += index * 2;
	if (at[1] != (u32)(entry >> 32)) {
		at[0] = 0;
		at[1] = (u32)(entry >> 32);
	}
	at[0] = (u32)entry;
	shadows[s].touched |= 1u << (index >> 4);
}

static int is_directory(u32 kind)
{
	return kind >= KIND_DIR;
}

static u64 frame_mask(void)
{
	return PAE ? 0xffffff000ull : 0xfffff000ull;
}

static inline int is_table_frame(u64 entry)
{
	u32 gfn = (u32)((entry & frame_mask()) >> 12);

	return (gfn < memory_low_frames || (gfn >= FRAMES_4GIB && gfn < memory_frames)) &&
	       !frame_is_ours(gfn) && !frame_is_readonly(gfn);
}

/* The shadow that a directory's entry points at, or 0. */
static u32 child_of(u64 entry)
{
	if ((entry & (PTE_P | PTE_PS)) != PTE_P)
		return 0;
	return (((u32)(entry & frame_mask()) - pa_of((void *)pool)) >> 12) + 1;
}

static void clear_entry(u32 dir, u32 index)
{
	u64 old = shadow_entry(dir, index);
	u32 child = child_of(old);

	if (!old)
		return;
	shadow_set(dir, index, 0);
	if (child && child < fresh && old & PTE_US)
		shadows[child].refs--;
}

static int covers_hole(u32 kind, u32 index)
{
	return (kind == KIND_ROOT && index >= HOLE >> 22) ||
	       (kind == KIND_TOP && index >= (HOLE >> 21 & 511));
}

/* Clears all entries but those of the hole. */
static void empty(u32 s)
{
	struct shadow *sh = &shadows[s];
	u32 group = PAE ? 16 : 32, i, k;

	for (i = 0; i < 32; i++) {
		if (!(sh->touched & 1u << i))
			continue;
		if (!is_directory(sh->kind)) {
			memset((u8 *)page_of(s) + i * 128, 0, 128);
			continue;
		}
		for (k = i * group; k < (i + 1) * group; k++)
			if (!covers_hole(sh->kind, k))
				clear_entry(s, k);
	}
	sh->touched = 0;
}

static void chain_insert(u32 s, u32 gfn)
{
	u32 hash = gfn & 0x7fff;

	shadows[s].gfn = gfn;
	if (gfn >= memory_frames)
		return;
	shadows[s].next = heads[gfn];
	heads[gfn] = (u16)s;
	if (shadows[s].kind == KIND_SPLIT)
		return;
	if (!filter_count[hash]++)
		filter[hash >> 5] |= 1u << (hash & 31);
}

static void chain_remove(u32 s)
{
	u32 gfn = shadows[s].gfn, hash = gfn & 0x7fff;
	u16 *link;

	if (gfn >= memory_frames)
		return;
	for (link = &heads[gfn]; *link != s; link = &shadows[*link].next)
		;
	*link = shadows[s].next;
	if (shadows[s].kind == KIND_SPLIT)
		return;
	if (!--filter_count[hash])
		filter[hash >> 5] &= ~(1u << (hash & 31));
}

static u32 find(u32 gfn, u32 kind)
{
	u32 s = gfn < memory_frames ? heads[gfn] : 0;

	for (; s; s = shadows[s].next)
		if (shadows[s].kind == kind &&
		    (kind < KIND_TOP || shadows[s].vcpu == me->number))
			return s;
	return 0;
}

/* Is a directory loaded on some vCPU? */
static int is_loaded(u32 s)
{
	u32 i, k;

	for (i = 0; i < MAX_VCPUS; i++)
		for (k = 0; vcpus[i] && k < 4; k++)
			if (vcpus[i]->dir[k] == s)
				return 1;
	return 0;
}

/* Takes a table out of every directory. */
static void unlink_everywhere(u32 s)
{
	u32 d, i, group = PAE ? 4 : 5;

	for (d = 1; d < fresh; d++) {
		if (!is_directory(shadows[d].kind))
			continue;
		for (i = 0; i < entries_per_page(); i++) {
			if (!(shadows[d].touched & 1u << (i >> group)))
				i |= (1u << group) - 1;
			else if (child_of(shadow_entry(d, i)) == s &&
				 !covers_hole(shadows[d].kind, i))
				clear_entry(d, i);
		}
	}
	shadows[s].refs = 0;
}

/* Empties a shadow that nothing loads, and takes it out of all lists. */
static void detach(u32 s)
{
	struct shadow *sh = &shadows[s];

	if (!is_directory(sh->kind) && (sh->kernel || sh->refs)) {
		unlink_everywhere(s);
		shootdown();
	}
	empty(s);
	if (is_directory(sh->kind))	/* the hole's entries */
		memset((u8 *)page_of(s) + PAGE_SIZE - 256, 0, 256);
	chain_remove(s);
	made_by_kind[sh->kind]--;
	generation += is_directory(sh->kind);
	sh->kind = KIND_FREE;
	sh->kernel = 0;
}

static void release(u32 s)
{
	struct free_list *list = is_directory(shadows[s].kind) ? &directories : &tables;

	detach(s);
	shadows[s].next = 0;
	if (list->last)
		shadows[list->last].next = (u16)s;
	else
		list->first = (u16)s;
	list->last = (u16)s;
	list->free++;
}

/* Nobody may starve the other level: each gets three quarters at most. */
static int may_grow(const struct free_list *list)
{
	return fresh < shadow_count && list->made < shadow_count / 4 * 3;
}

static u32 victim(const struct free_list *list, int want_directory)
{
	u32 s, tries;

	for (tries = 0, s = list->hand; tries < 2 * fresh; tries++) {
		s = s + 1 < fresh ? s + 1 : 1;
		if (shadows[s].kind == KIND_FREE ||
		    is_directory(shadows[s].kind) != want_directory)
			continue;
		if (!want_directory || !is_loaded(s))
			return s;
	}
	stop("shadow pages", shadow_count, "are all in use");
}

static u32 take(struct free_list *list, int want_directory)
{
	u32 s = list->first;

	if (s) {
		list->first = shadows[s].next;
		if (!list->first)
			list->last = 0;
		list->free--;
		return s;
	}
	if (may_grow(list)) {
		s = fresh++;
		list->made++;
		memset(page_of(s), 0, PAGE_SIZE);
		return s;
	}
	s = victim(list, want_directory);
	list->hand = (u16)s;
	detach(s);
	reclaimed++;
	return s;
}

/* How often make() was called. */
static u32 makes;

static u32 make(u32 gfn, u32 kind)
{
	u32 s = take(is_directory(kind) ? &directories : &tables, is_directory(kind));
	struct shadow *sh = &shadows[s];

	sh->kind = (u8)kind;
	sh->vcpu = (u8)me->number;
	sh->touched = 0;
	sh->refs = 0;
	sh->kernel = 0;
	makes++;
	made_by_kind[kind]++;
	generation += is_directory(kind);
	chain_insert(s, gfn);
	if (kind == KIND_ROOT || kind == KIND_TOP)
		hole_fill(me, page_of(s));
	return s;
}

#define FLAGS_LOW	(PTE_P | PTE_RW | PTE_US | PTE_PWT | PTE_PCD | PTE_A | PTE_D | \
			 PTE_PS | PTE_G)
#define FRAME_HIGH	0xfu
#define NX_HIGH		(1u << 31)

/*
 * What stands for a guest's entry of a page table; 0 = the next access shall
 * fault. NX only where the CPU knows it. By halves: this is what the monitor
 * does most, and the compiler makes twice as much of 64 bits.
 */
static inline u64 leaf(u64 entry)
{
	u32 low = (u32)entry, high = (u32)(entry >> 32) & (FRAME_HIGH | NX_HIGH);
	u32 gfn = low >> 12 | (high & FRAME_HIGH) << 20;

	if (~low & (PTE_P | PTE_A) || frame_is_ours(gfn) || frame_is_apic(gfn))
		return 0;
	if (!(low & PTE_D) || frame_is_readonly(gfn))
		low &= ~PTE_RW;
	if (!has_nx)
		high &= ~NX_HIGH;
	return (u64)high << 32 | (low & (~4095u | FLAGS_LOW));
}

static inline __attribute__((always_inline)) void table_update(u32 s, u32 index, const u32 *guest)
{
	u64 old = shadow_entry(s, index), now;

	/* Both bits are in the low half: without them the rest does not count. */
	if (~guest[PAE ? index * 2 : index] & (PTE_P | PTE_A)) {
		if (old)
			shadow_set(s, index, 0);
		return;
	}
	now = leaf(guest_entry(guest, index));
	if (old != now)
		shadow_set(s, index, now);
}

/* Flags of an entry that points to a table. */
static u64 branch(u64 entry)
{
	u64 flags = PTE_P | PTE_RW | PTE_US | PTE_A;

	if (has_nx && PAE)
		flags |= PTE_NX;
	return entry & flags;
}

static void directory_update(u32 s, u32 index, const u32 *guest)
{
	u64 old = shadow_entry(s, index), entry;
	u32 child = child_of(old);

	if (!old || covers_hole(shadows[s].kind, index))
		return;
	entry = guest_entry(guest, index);
	if (child && (entry & (PTE_P | PTE_PS | PTE_A)) == (PTE_P | PTE_A) &&
	    shadows[child].kind == KIND_TABLE &&
	    shadows[child].gfn == (entry & frame_mask()) >> 12 &&
	    !((entry ^ old) & PTE_US)) {
		shadow_set(s, index, branch(entry) | (old & frame_mask()));
		return;
	}
	clear_entry(s, index);
}

/* A frame with several shadows, or one that is a directory. */
static __attribute__((noinline)) void any_changed(u32 s, u32 index, const u32 *guest)
{
	for (; s; s = shadows[s].next) {
		if (shadows[s].kind == KIND_TABLE)
			table_update(s, index, guest);
		else if (is_directory(shadows[s].kind))
			directory_update(s, index, guest);
	}
}

static void entry_changed(u32 address)
{
	u32 gfn, elsewhere, s, index;
	u32 *guest;

	if (address - me->linear[0].start < (u32)me->linear[0].pages << 12)
		gfn = me->linear[0].pfn + ((address - me->linear[0].start) >> 12);
	else if (linear_to_frame(address, &elsewhere))
		gfn = elsewhere;
	else
		return;
	if (gfn >= memory_frames)
		return;
	s = heads[gfn];
	if (!s)
		return;
	guest = window(gfn, 3);
	index = (address & 4095) >> (PAE ? 3 : 2);
	if (likely(shadows[s].kind == KIND_TABLE && !shadows[s].next))
		table_update(s, index, guest);
	else
		any_changed(s, index, guest);
}

/**
 * shadow_entry_changed() - look at a guest's entry again
 * @address: linear
 */
void MODE(shadow_entry_changed)(u32 address)
{
	lock(&mmu_lock);
	entry_changed(address);
	unlock(&mmu_lock);
}

/**
 * queue_flush() - do what ring 1 put off
 *
 * Every fault and every call that has to do with memory does this first.
 */
void MODE(queue_flush)(void)
{
	u32 count = ring1->queued, i, cr3;

	me->queue_flushes++;
	if (count > R1_QUEUE_MAX)
		count = R1_QUEUE_MAX;
	me->queued += count;
	if (count) {
		lock(&mmu_lock);
		for (i = 0; i < count; i++)
			entry_changed(ring1->queue[i]);
		unlock(&mmu_lock);
	}
	ring1->queued = 0;
	if (ring1->change) {
		ring1->change = 0;
		cr3 = ring1->cr3;
		MODE(shadow_load)(cr3);
	}
}

/**
 * shadow_page_gone() - a frame begins or ceases to be a table of the guest
 * @gfn: of the guest
 */
void MODE(shadow_page_gone)(u32 gfn)
{
	u32 s, next, flush = 0;

	if (gfn >= memory_frames || !heads[gfn])
		return;
	lock(&mmu_lock);
	for (s = heads[gfn]; s; s = next) {
		next = shadows[s].next;
		if (shadows[s].kind == KIND_SPLIT)
			continue;
		if (is_directory(shadows[s].kind) && is_loaded(s)) {
			empty(s);
			flush = 1;
		} else {
			release(s);
		}
	}
	unlock(&mmu_lock);
	if (flush)
		flush_all();
}

/* Loads what `me->dir` says. */
static void load_directories(void)
{
	struct root_cache *c;
	u32 i;

	if (!PAE) {
		me->root = pa_of(page_of(me->dir[0]));
		WRITE_REG(cr3, me->root);
		return;
	}
	c = &me->roots[ROOT_SLOT(me->guest_root)];
	for (i = 0; i < 4; i++) {
		c->dir[i] = me->dir[i];
		c->pdpt[i] = me->dir[i] ? pa_of(page_of(me->dir[i])) | PTE_P : 0;
		me->pdpt[i * 2] = c->pdpt[i];
	}
	c->generation = generation;
	WRITE_REG(cr3, me->root);
}

/* PAE: the guest's root, or NULL. */
static const u32 *guest_pdpt(void)
{
	u32 cr3 = me->guest_root;

	if (unlikely(!is_table_frame(cr3)))
		return NULL;
	return (u32 *)((u32)window(cr3 >> 12, 0) + (cr3 & 0xfe0));
}

/* Frame of a directory by the root's entry, or NO_FRAME. */
static u32 directory_frame(const u32 *root, u32 i)
{
	u64 entry = root ? guest_entry(root, i) : 0;

	return entry & PTE_P && is_table_frame(entry) ? (u32)(entry >> 12) & 0xffffff : NO_FRAME;
}

static void load_pae(void)
{
	struct root_cache *c = &me->roots[ROOT_SLOT(me->guest_root)];
	const u32 *root = guest_pdpt();
	u32 i, gfn;

	/* As before? The entries count, not the place: they may be written anew. */
	if (root && c->cr3 == me->guest_root && c->generation == generation &&
	    c->entry[0] == root[0] && c->entry[1] == root[1] &&
	    c->entry[2] == root[2] && c->entry[3] == root[3] &&
	    c->entry[4] == root[4] && c->entry[5] == root[5] &&
	    c->entry[6] == root[6] && c->entry[7] == root[7]) {
		for (i = 0; i < 4; i++) {
			me->dir[i] = c->dir[i];
			me->pdpt[i * 2] = c->pdpt[i];
		}
		WRITE_REG(cr3, me->root);
		return;
	}
	for (i = 0; i < 4; i++) {
		gfn = directory_frame(root, i);
		me->dir[i] = (u16)find(gfn, i == 3 ? KIND_TOP : KIND_DIR);
	}
	if (!me->dir[3]) {
		gfn = directory_frame(root, 3);
		me->dir[3] = (u16)make(gfn, KIND_TOP);
	}
	c->cr3 = me->guest_root;
	for (i = 0; i < 8; i++)
		c->entry[i] = root ? root[i] : 0;
	load_directories();
}

static void load_root(void)
{
	u32 gfn = me->guest_root >> 12, s;

	if (PAE) {
		load_pae();
		return;
	}
	if (!is_table_frame((u64)gfn << 12))
		stop("CR3", me->guest_root, "is not guest memory");
	s = find(gfn, KIND_ROOT);
	if (!s)
		s = make(gfn, KIND_ROOT);
	me->dir[0] = (u16)s;
	load_directories();
}

/**
 * shadow_reload() - flush non-global entries
 *
 * With PAE the CPU reads the root's four entries anew then, so do we.
 */
void MODE(shadow_reload)(void)
{
	lock(&mmu_lock);
	load_root();
	unlock(&mmu_lock);
}

/**
 * shadow_load() - run on another root
 * @cr3: guest-physical; with PAE 32-byte aligned
 */
void MODE(shadow_load)(u32 cr3)
{
	lock(&mmu_lock);
	me->guest_root = PAE ? cr3 & ~0x1fu : cr3 & ~0xfffu;
	ring1->cr3 = cr3;
	load_root();
	unlock(&mmu_lock);
}

/* What a walk of the guest's tables found. */
struct walk {
	u32	*dir, *table;		/* guest's, in windows; @table NULL: large */
	u32	dir_index, index;
	u64	dir_entry, entry;
	u32	dir_gfn, gfn;		/* @gfn of the table, or of the large page */
	u32	frame;			/* that the address is in */
	u32	reserved;		/* bits of a large page's entry that have to be 0 */
};

/* Without PAE: the bits of a frame above 4 GiB, and one. */
#define LARGE_RESERVED	(PAE ? 0x1fe000u : 0x3fe000u)

/* Returns 0 if the address is not mapped. */
static inline int walk(u32 address, struct walk *w)
{
	w->table = NULL;
	w->index = w->frame = w->reserved = 0;
	if (PAE) {
		/* The CPU knows the root's entries since CR3 was loaded, too. */
		w->dir_gfn = me->dir[address >> 30] ? shadows[me->dir[address >> 30]].gfn :
			     NO_FRAME;
		if (w->dir_gfn == NO_FRAME)
			w->dir_gfn = directory_frame(guest_pdpt(), address >> 30);
		if (w->dir_gfn == NO_FRAME)
			return 0;
	} else {
		w->dir_gfn = me->guest_root >> 12;
	}
	w->dir = window(w->dir_gfn, 1);
	w->dir_index = entry_index(address, 1);
	w->dir_entry = guest_entry(w->dir, w->dir_index);
	if (!(w->dir_entry & PTE_P))
		return 0;
	if (w->dir_entry & PTE_PS && (PAE || ring1->cr4 & CR4_PSE)) {
		w->entry = w->dir_entry;
		w->gfn = (u32)((w->dir_entry & frame_mask()) >> 12) &
			 (PAE ? ~0x1ffu : ~0x3ffu);
		w->frame = w->gfn + entry_index(address, 0);
		w->reserved = (u32)w->dir_entry & LARGE_RESERVED;
		return 1;
	}
	if (!is_table_frame(w->dir_entry))
		return 0;
	w->gfn = (u32)((w->dir_entry & frame_mask()) >> 12);
	w->table = window(w->gfn, 2);
	w->index = entry_index(address, 0);
	w->entry = guest_entry(w->table, w->index);
	w->frame = (u32)((w->entry & frame_mask()) >> 12);
	return (w->entry & PTE_P) != 0;
}

/* The access rights of a walk, both levels together. */
static int permitted(const struct walk *w, u32 access)
{
	u64 both = w->dir_entry & w->entry;

	if (access & PF_U && !(both & PTE_US))
		return 0;
	if (access & PF_I && has_nx && (w->dir_entry | w->entry) & PTE_NX)
		return 0;
	if (access & PF_W && !(both & PTE_RW))
		return !(access & PF_U) && !(ring1->cr0 & CR0_WP);
	return 1;
}

/**
 * guest_translate() - where an address of the guest is, whatever its rights
 * @address: linear; with or without `mmu_lock`
 * @pa: guest-physical
 *
 * Return: 0 if it is not mapped.
 */
int MODE(guest_translate)(u32 address, u64 *pa)
{
	struct walk w;
	int found;

	if (address >= HOLE)
		return 0;
	found = walk(address, &w) && !w.reserved;
	*pa = (u64)w.frame << 12 | (address & 4095);
	return found;
}

/* The shadow directory for an address; with PAE it may not be there yet. */
static u32 directory_for(u32 address, u32 gfn)
{
	u32 i = address >> 30, s, kind = i == 3 ? KIND_TOP : KIND_DIR;

	if (!PAE)
		return me->dir[0];
	s = me->dir[i];
	if (s && shadows[s].gfn == gfn)
		return s;
	s = find(gfn, kind);
	if (!s)
		s = make(gfn, kind);
	me->dir[i] = (u16)s;
	load_directories();
	return s;
}

/* Does a large page hold a frame that the guest must not touch? */
static int large_is_clean(u32 gfn)
{
	u32 frames = PAE ? 512 : 1024, first = memory_base >> 12;

	if (gfn < first + (memory_size >> 12) && gfn + frames > first)
		return 0;
	if (gfn <= low_pa >> 12 && gfn + frames > low_pa >> 12)
		return 0;
	/* Interrupt controllers, from the I/O APIC on. */
	return gfn + frames <= FRAME_IOAPIC || gfn >= FRAME_LAPIC + FRAMES_MESSAGE;
}

static u32 split_for(u32 gfn)
{
	u32 s = find(gfn, KIND_SPLIT), i;

	if (s)
		return s;
	s = make(gfn, KIND_SPLIT);
	for (i = 0; i < entries_per_page(); i++)
		shadow_set(s, i, leaf((u64)(gfn + i) << 12 | PTE_P | PTE_RW | PTE_US |
				      PTE_A | PTE_D));
	return s;
}

static void link_table(u32 dir, u32 index, u32 table, u64 flags)
{
	u64 old = shadow_entry(dir, index);
	u64 entry = flags | pa_of(page_of(table));

	if (old == entry)
		return;
	if (child_of(old) != table || (old ^ entry) & PTE_US) {
		clear_entry(dir, index);
		if (entry & PTE_US)
			shadows[table].refs++;
		else
			shadows[table].kernel = 1;
	}
	shadow_set(dir, index, entry);
}

/*
 * A guest without write protection in ring 0 writes a page that its users may
 * read only: as long as it does, users have to fault.
 */
static u64 unprotected(u64 entry)
{
	return (entry | PTE_RW) & ~(u64)PTE_US;
}

static void fill_large(u32 dir, const struct walk *w, int unprotect)
{
	u64 entry;

	if (!large_is_clean(w->gfn)) {
		entry = branch(w->entry);
		if (!(w->entry & PTE_D))
			entry &= ~(u64)PTE_RW;
		link_table(dir, w->dir_index, split_for(w->gfn),
			   unprotect ? unprotected(entry) : entry);
		return;
	}
	entry = leaf(w->entry & ~(u64)PTE_PAT_LARGE) | PTE_PS;
	if (unprotect)
		entry = unprotected(entry);
	if (shadow_entry(dir, w->dir_index) != entry) {
		clear_entry(dir, w->dir_index);
		shadow_set(dir, w->dir_index, entry);
	}
}

/* How many neighbours of a missing entry are filled with it. */
#define AHEAD	8

static void fill_ahead(u32 s, const struct walk *w)
{
	u32 i;

	for (i = w->index + 1; i < entries_per_page() && i & (AHEAD - 1); i++)
		if (!shadow_entry(s, i))
			table_update(s, i, w->table);
}

static void fill_table(u32 dir, u32 s, const struct walk *w, int unprotect)
{
	u64 entry = leaf(w->entry), flags = branch(w->dir_entry);

	if (unprotect) {
		entry = unprotected(entry);
		if (!(flags & PTE_RW))
			flags = unprotected(flags);
	}
	shadow_set(s, w->index, entry);
	fill_ahead(s, w);
	link_table(dir, w->dir_index, s, flags);
}

/*
 * Before a page is shadowed, other CPUs change its entries without telling. So
 * what the walk has seen of it must still be true now that they tell.
 */
static int has_changed(const struct walk *w)
{
	asm volatile("lock addl $0, (%%esp)" : : : "memory", "cc");
	return guest_entry(w->dir, w->dir_index) != w->dir_entry ||
	       (w->table && guest_entry(w->table, w->index) != w->entry);
}

static enum fault_result fault_locked(u32 address, u32 access, u32 *error)
{
	struct walk w;
	u32 bits = PTE_A | (access & PF_W ? PTE_D : 0), dir;
	u32 table = 0, before = makes;
	int unprotect;

	*error = access;
	if (!walk(address, &w))
		return FAULT_REFLECT;
	*error |= PF_P | (w.reserved ? PF_RSVD : 0);
	if (w.reserved || !permitted(&w, access))
		return FAULT_REFLECT;
	if (frame_is_ours(w.frame) || (access & PF_W && frame_is_readonly(w.frame)))
		return FAULT_FORBIDDEN;
	if (frame_is_apic(w.frame))
		return FAULT_APIC;
	if (w.table) {
		if (!guest_mark(w.table, w.index, &w.entry, bits))
			return FAULT_FILLED;	/* changed: let it fault again */
		bits = PTE_A;
	}
	if (!guest_mark(w.dir, w.dir_index, &w.dir_entry, bits))
		return FAULT_FILLED;
	dir = directory_for(address, w.dir_gfn);
	if (w.table) {
		table = find(w.gfn, KIND_TABLE);
		if (!table)
			table = make(w.gfn, KIND_TABLE);
	}
	if (makes != before && has_changed(&w))
		return FAULT_FILLED;
	unprotect = access & PF_W && !(w.dir_entry & w.entry & PTE_RW);
	if (w.table) {
		fill_table(dir, table, &w, unprotect);
	} else {
		w.entry = w.dir_entry;
		fill_large(dir, &w, unprotect);
	}
	return FAULT_FILLED;
}

/**
 * shadow_fault() - look whether the guest's tables permit an access
 * @address: linear, below the hole
 * @access: PF_W, PF_U, PF_I
 * @error: the error code that the guest has to see
 *
 * Return: FAULT_FILLED if the access may be tried again.
 */
enum fault_result MODE(shadow_fault)(u32 address, u32 access, u32 *error)
{
	enum fault_result result;

	lock(&mmu_lock);
	result = fault_locked(address, access, error);
	unlock(&mmu_lock);
	return result;
}


/**
 * shadow_init() - all memory that is left becomes shadow pages
 */
void MODE(shadow_init)(void)
{
	u32 pages, i;

	heads = mem_take((memory_frames * 2 + 4095) / PAGE_SIZE);
	filter_count = mem_take(16);
	filter = mem_take(1);
	for (i = 0; i < MAX_VCPUS; i++)
		if (vcpus[i])
			map_private(vcpus[i], RING1_FILTER, pa_of(filter), 0);
	pages = mem_left();
	/* 16 bytes to describe each */
	shadows = mem_take(pages / 256 + 1);
	shadow_count = mem_left();
	if (shadow_count > 65535)
		shadow_count = 65535;
	pool = (u32)mem_take(0);
	fresh = 1;
	shadow_count = shadow_count - 1;
}

static void stat(const char *name, u32 value)
{
	print("vmi-stat: shadow ");
	print(name);
	print(" ");
	print_dec(value);
	print("\n");
}

void MODE(shadow_stats)(void)
{
	stat("pages", shadow_count);
	stat("used", fresh - 1 - tables.free - directories.free);
	stat("tables", made_by_kind[KIND_TABLE]);
	stat("split", made_by_kind[KIND_SPLIT]);
	stat("directories", made_by_kind[KIND_DIR] + made_by_kind[KIND_TOP]);
	stat("roots", made_by_kind[KIND_ROOT]);
	stat("reclaimed", reclaimed);
}

/**
 * shadow_spare_page() - a clear page for another purpose, for good
 */
void *MODE(shadow_spare_page)(void)
{
	u32 s;

	lock(&mmu_lock);
	s = take(&tables, 0);
	shadows[s].kind = KIND_FREE;
	unlock(&mmu_lock);
	return page_of(s);
}
