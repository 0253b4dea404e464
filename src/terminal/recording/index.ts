export { decodeBytes, encodeText, Utf8Carry } from './byte-text.js'
export { type RecordingHeader, type RecordingEvent, type RecordingExit, parseHeader, parseEventLine } from './asciicast.js'
export { openRecording, type OpenRecording, readWholeRecording, type WholeRecording } from './reader.js'
export { createRecording, type RecordingWriter } from './writer.js'
