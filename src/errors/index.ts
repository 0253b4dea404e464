export { errorAbout, errorLine } from './error-subject.js'
export {
  type ErrorCode,
  EXIT,
  exitCodeOf,
  type FilePosition,
  SignalboxError,
  toSignalboxError,
} from './signalbox-error.js'
