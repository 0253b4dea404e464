export { defineMachine } from './define-machine.js'
export { type Drawable, toDot, toMarkdown } from './draw.js'
export {
  type ActionOf,
  ANY,
  type EventOf,
  type Machine,
  type MachineDefinition,
  type MachineRow,
  type Resolved,
  STAY,
  type StateOf,
} from './machine.js'
export { type Lookup, lookup, type Pair, type TransitionOptions, transition, walk } from './transition.js'
export { UnlistedCounter, type UnlistedPair } from './unlisted-counter.js'
