/**
 * Progressive enhancement flags of the kitty keyboard protocol: how the program wants keys to be
 * encoded.
 */

const STACK_MAX = 16
const FLAGS_MASK = 0b11111

type Screen = 'normal' | 'alternate'

export interface KittyKeyboardState {
  normal: number[]
  alternate: number[]
}

/** Each screen has its own stack; its top counts. Empty means the legacy encoding. */
export class KittyKeyboard {
  #stacks: KittyKeyboardState

  constructor(state: KittyKeyboardState = { normal: [], alternate: [] }) {
    this.#stacks = { normal: [...state.normal], alternate: [...state.alternate] }
  }

  get state(): KittyKeyboardState {
    return { normal: [...this.#stacks.normal], alternate: [...this.#stacks.alternate] }
  }

  flags(screen: Screen): number {
    return this.#stacks[screen].at(-1) ?? 0
  }

  push(screen: Screen, flags: number): void {
    const stack = this.#stacks[screen]
    stack.push(flags & FLAGS_MASK)
    if (stack.length > STACK_MAX) stack.shift()
  }

  pop(screen: Screen, count: number): void {
    const stack = this.#stacks[screen]
    stack.splice(Math.max(0, stack.length - Math.max(1, count)))
  }

  /** Mode 1 replaces the flags, 2 adds flags, 3 removes flags. */
  set(screen: Screen, flags: number, mode: number): void {
    const current = this.flags(screen)
    const wanted = flags & FLAGS_MASK
    const next = mode === 2 ? current | wanted : mode === 3 ? current & ~wanted : wanted
    const stack = this.#stacks[screen]
    stack[Math.max(0, stack.length - 1)] = next
  }

  reset(): void {
    this.#stacks = { normal: [], alternate: [] }
  }
}
