import TrendyFoundation
import TrendyModels

/// Reads what OwnTracks sends, and what its recorder keeps of it.
///
/// Positions are the messages of type `location`; the others are counted by their type and passed over, for their places
/// are those of fences and of the past. Speeds are km/h there and metres a second here. A ping is a position like the others:
/// its time may be that of the sending.
public enum OwnTracksReader: Sendable {
  /// Messages: one object, an array of them, or one on each line.
  /// - Throws: ``InterchangeError`` where no whole message is found.
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

  /// The recorder's `.rec`: on each line a time of receipt, a kind and the message, parted by tabs.
  /// - Throws: ``InterchangeError`` where no line is one of a recorder's.
  public static func readRecording(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    var collector = FixCollector(.ownTracksRecording)
    var whole = 0
    for line in bytes[...].textLines {
      let place = "line \(line.number)"
      let fields = line.bytes.split(separator: 0x9, maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else {
        collector.report(place, "this is no line of a recording: time, kind and message parted by tabs")
        continue
      }
      do {
        let message = try WireJSON.decode(JSONValue.self, from: Data(fields[2]))
        whole += 1
        take(message, at: place, into: &collector)
      } catch {
        let kind = FieldText.trim(String(decoding: fields[1], as: UTF8.self))
        if kind == "*" {
          collector.report(place, "the message of this line is no whole JSON")
        } else {
          // A will or a command may be any text.
          whole += 1
          collector.skip(message: kind)
        }
      }
    }
    guard whole > 0 else {
      throw .malformed(line: 1, column: 1, reason: "no line of the recording is whole", pointsRead: 0)
    }
    return collector.finish()
  }

  /// Whether a line is one of a recording: a moment, a tab, a kind, a tab.
  static func isRecording(_ line: ArraySlice<UInt8>) -> Bool {
    let fields = line.split(separator: 0x9, maxSplits: 2, omittingEmptySubsequences: false)
    return fields.count == 3 && FieldText.date(String(decoding: fields[0], as: UTF8.self)) != nil
  }

  static let encryptedKind = "encrypted"

  static func take(_ message: JSONValue, at place: @autoclosure () -> String, into collector: inout FixCollector) {
    guard case .object(let members) = message else {
      collector.report(place(), "this is no message of OwnTracks: an object was expected")
      return
    }
    guard let kind = members["_type"]?.stringValue else {
      collector.report(place(), "the message says no _type")
      return
    }
    guard kind == "location" else {
      collector.skip(message: kind)
      // The others hold no position of now; this one may.
      if kind == encryptedKind { collector.report(place(), DeviceBatch.encryptionAdvice) }
      return
    }
    var fields = FixFields()
    fields.latitude = members["lat"]?.number
    fields.longitude = members["lon"]?.number
    fields.time = members["tst"]?.moment
    fields.altitude = members["alt"]?.number
    fields.speed = members["vel"]?.number.map { $0 / 3.6 }
    fields.course = members["cog"]?.number
    fields.accuracy = members["acc"]?.number
    fields.device = members["topic"]?.stringValue
    if let words = members["motionactivities"]?.arrayValue {
      fields.motion = FieldText.motion(words.compactMap(\.stringValue))
    }
    collector.take(fields, at: place())
  }
}
