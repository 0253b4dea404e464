export { defineMachine } from './define-machine.js'
export { type Drawable, toDot, toMarkdown } from './draw.js'
export {
  type ActionOf,
  ANY,
  type EventOf,
  type Machine,
  type MachineDefinition,
  type MachineRow,
  type ResolvedRow,
  STAY,
  type StateOf,
} from './machine.js'
export { everyPair, type Lookup, lookup, type Pair, type TransitionOptions, transition } from './transition.js'
export { UnlistedCounter, type UnlistedPair } from './unlisted-counter.js'
