export { EXIT, exitCodeOf, SignalboxError, type ErrorCode, type Place, toSignalboxError } from './signalbox-error.js'
