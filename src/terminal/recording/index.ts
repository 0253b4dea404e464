export type { RecordingEvent } from './asciicast.js'
export { ByteTextDecoder, decodeBytes, encodeText } from './byte-text.js'
export { openRecording, type ReadPosition, readWholeRecording } from './reader.js'
export { createRecording, type RecordingWriter } from './writer.js'
