export { defineMachine } from './define-machine.js'
export { rulesToDot, toDot, toMarkdown } from './draw.js'
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
export { everyPair, lookup, transition } from './transition.js'
