export { defineMachine } from './define-machine.js'
export { rulesToDot, toDot, toMarkdown } from './draw.js'
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
export { lookup, transition, walk } from './transition.js'
