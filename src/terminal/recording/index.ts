/*
 * Recordings: asciicast v2 files with every byte of a session. writer.ts writes one while the
 * session runs, reader.ts reads one from any position, asciicast.ts knows the lines, byte-text.ts
 * keeps bytes that are not UTF-8, compressed.ts compresses recordings of ended sessions.
 */

export type { RecordingEvent } from './asciicast.js'
export { ByteTextDecoder, decodeBytes, encodeText } from './byte-text.js'
export { compressRecording, readPart, recordingBytes, recordingSize, storedRecording } from './compressed.js'
export { openRecording, type ReadPosition, readWholeRecording } from './reader.js'
export { createRecording, NO_RECORDING, type RecordingWriter } from './writer.js'
