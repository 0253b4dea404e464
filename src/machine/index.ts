/*
 * State machines as tables: rows of state, event, guard, next state and actions. `defineMachine`
 * checks a table when it is loaded, `transition` executes it, draw.ts prints it for the docs.
 */

export { defineMachine } from './define-machine.js'
export { rulesToDot, toDot, toMarkdown } from './draw.js'
export type {
  ActionOf,
  EventOf,
  StateOf,
} from './machine.js'
export { everyPair, lookup, transition } from './transition.js'
