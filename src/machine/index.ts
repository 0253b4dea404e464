export { defineMachine } from './define-machine.js'
export { rulesToDot, toDot, toMarkdown } from './draw.js'
export type {
  ActionOf,
  EventOf,
  StateOf,
} from './machine.js'
export { everyPair, lookup, transition } from './transition.js'
