export {
  parseEventLine,
  parseHeader,
  type RecordingEvent,
  type RecordingExit,
  type RecordingHeader,
} from './asciicast.js'
export { ByteTextDecoder, decodeBytes, encodeText } from './byte-text.js'
export { type OpenRecording, openRecording, readWholeRecording, type WholeRecording } from './reader.js'
export { createRecording, type RecordingWriter } from './writer.js'
