/*
 * The one error type, its exit codes, and the run or session that an error is about. An error says
 * what is wrong in lower case without a full stop; `next` says what to do.
 *
 * To add a code that needs its own exit code: `EXIT_BY_CODE` in signalbox-error.ts.
 */
export { errorAbout, errorLine } from './error-subject.js'
export {
  type ErrorCode,
  EXIT,
  exitCodeOf,
  type FilePosition,
  SignalboxError,
  toSignalboxError,
} from './signalbox-error.js'
