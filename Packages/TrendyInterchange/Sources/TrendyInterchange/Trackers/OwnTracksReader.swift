import TrendyFoundation
import TrendyModels

/// Reads OwnTracks messages and OwnTracks Recorder files.
///
/// Messages of type `location` are positions, including pings, which may have the time of sending instead of the time
/// of the fix. Other messages are skipped and counted by type. Speeds are converted from km/h to m/s.
public enum OwnTracksReader: Sendable {
  /// Reads messages: a single object, an array of objects, or one object per line.
  ///
  /// - Throws: ``InterchangeError`` if the input does not contain a complete message.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    let documents = try JSONDocuments(bytes)
    var collector = FixCollector(.ownTracks)
    for problem in documents.problems { collector.report(problem.place, problem.reason) }
    for (place, value) in documents.values {
      if case .array(let messages) = value {
        for (index, message) in messages.enumerated() {
          take(message, at: place.isEmpty ? "[\(index)]" : "\(place), [\(index)]", into: &collector)
        }
      } else {
        take(value, at: place.isEmpty ? "the message" : place, into: &collector)
      }
    }
    return collector.finish()
  }

  /// Reads a `.rec` file, whose lines contain the time of receipt, the kind and the message, separated by tabs or
  /// spaces.
  ///
  /// - Throws: ``InterchangeError`` if no line is valid.
  public static func readRecording(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    var collector = FixCollector(.ownTracksRecording)
    var whole = 0
    for line in bytes[...].textLines {
      let place = "line \(line.number)"
      guard let fields = fields(of: line.bytes) else {
        collector.report(place, "not a line of a recording (time, kind and message)")
        continue
      }
      do {
        let message = try WireJSON.decode(JSONValue.self, from: Data(fields.message))
        whole += 1
        take(message, at: place, into: &collector)
      } catch {
        let kind = String(decoding: fields.kind, as: UTF8.self)
        if kind == "*" {
          collector.report(place, "incomplete or invalid JSON message in this line")
        } else {
          // A last will or a command may be any text.
          whole += 1
          collector.skip(message: kind)
        }
      }
    }
    guard whole > 0 else {
      throw .malformed(line: 1, column: 1, reason: "the recording has no complete line", pointsRead: 0)
    }
    return collector.finish()
  }

  /// Whether a line has the structure of a `.rec` file and starts with a timestamp.
  static func isRecording(_ line: ArraySlice<UInt8>) -> Bool {
    guard let fields = fields(of: line) else { return false }
    return FieldText.date(String(decoding: fields.time, as: UTF8.self)) != nil
  }

  /// Splits a line at tabs, or at spaces if the tabs were lost when the file was copied.
  private static func fields(
    of line: ArraySlice<UInt8>
  ) -> (time: ArraySlice<UInt8>, kind: ArraySlice<UInt8>, message: ArraySlice<UInt8>)? {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x9 }
    let line = line.drop(while: isBlank)
    let time = line.prefix { !isBlank($0) }
    let rest = line[time.endIndex...].drop(while: isBlank)
    // Between tabs, the kind may contain spaces.
    let tabbed = rest.prefix { $0 != 0x9 }
    let kind = tabbed.endIndex < rest.endIndex ? tabbed : rest.prefix { !isBlank($0) }
    let message = rest[kind.endIndex...].drop(while: isBlank)
    guard !time.isEmpty, !kind.isEmpty, kind.endIndex < rest.endIndex else { return nil }
    var trimmed = kind
    while let last = trimmed.last, isBlank(last) { trimmed.removeLast() }
    return (time, trimmed, message)
  }

  static let encryptedKind = "encrypted"

  static func take(_ message: JSONValue, at place: @autoclosure () -> String, into collector: inout FixCollector) {
    guard case .object(let members) = message else {
      collector.report(place(), "not an OwnTracks message: expected an object")
      return
    }
    guard let kind = members["_type"]?.stringValue else {
      collector.report(place(), "the message has no _type")
      return
    }
    guard kind == "location" else {
      collector.skip(message: kind)
      // Report the message, because an encrypted message, unlike other skipped messages, may contain the current
      // position.
      if kind == encryptedKind { collector.report(place(), DeviceBatch.encryptionAdvice) }
      return
    }
    var fields = FixFields()
    fields.latitude = members["lat"]?.number
    fields.longitude = members["lon"]?.number
    fields.time = members["tst"]?.moment
    var check = FieldCheck()
    fields.altitude = check.read("alt", members["alt"]) { $0.number }
    fields.speed = check.read("vel", members["vel"]) { $0.number }.map { $0 / 3.6 }
    fields.course = check.read("cog", members["cog"]) { $0.number }
    fields.accuracy = check.read("acc", members["acc"]) { $0.number }
    fields.device = members["topic"]?.stringValue
    if let words = members["motionactivities"]?.arrayValue {
      fields.motion = FieldText.motion(words.compactMap(\.stringValue))
    }
    collector.take(fields, at: place(), check)
  }
}
