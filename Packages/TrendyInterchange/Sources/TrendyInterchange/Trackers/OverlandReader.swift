import TrendyFoundation
import TrendyModels

/// Reads Overland batches: a single batch, an array of batches, or one batch per line.
///
/// For actions such as `will_terminate`, the app sends features without a point. These features are skipped and counted
/// by action. Negative values are unknown, as is an altitude of 0 with a negative vertical accuracy.
public enum OverlandReader: Sendable {
  /// Reads a file or a request body.
  ///
  /// - Throws: ``InterchangeError`` if the input does not contain a complete batch.
  public static func read(_ bytes: [UInt8]) throws(InterchangeError) -> TrackFile {
    let documents = try JSONDocuments(bytes)
    var collector = FixCollector(.overland)
    for problem in documents.problems { collector.report(problem.place, problem.reason) }
    for (place, value) in documents.values {
      let prefix = place.isEmpty ? "" : place + ", "
      if case .array(let batches) = value {
        for (index, batch) in batches.enumerated() { take(batch, at: "\(prefix)[\(index)].", into: &collector) }
      } else {
        take(value, at: prefix, into: &collector)
      }
    }
    return collector.finish()
  }

  private static func take(_ batch: JSONValue, at prefix: String, into collector: inout FixCollector) {
    guard let features = batch["locations"]?.arrayValue else {
      collector.report("\(prefix)locations", "not an Overland batch: expected an array")
      return
    }
    for (index, feature) in features.enumerated() {
      take(feature: feature, at: "\(prefix)locations[\(index)]", into: &collector)
    }
  }

  private static func take(
    feature: JSONValue, at place: @autoclosure () -> String, into collector: inout FixCollector
  ) {
    guard case .object(let properties)? = feature["properties"] else {
      collector.report(place(), "not a feature with properties")
      return
    }
    if let action = properties["action"]?.stringValue, feature["geometry"]?["type"]?.stringValue != "Point" {
      collector.skip(message: action)
      return
    }
    guard feature["geometry"]?["type"]?.stringValue == "Point",
      let position = feature["geometry"]?["coordinates"]?.arrayValue
    else {
      collector.report(place(), "the feature has no point")
      return
    }
    var fields = FixFields()
    fields.longitude = position.first?.doubleValue
    fields.latitude = position.dropFirst().first?.doubleValue
    fields.time = properties["timestamp"]?.moment
    var check = FieldCheck()
    func number(_ name: String) -> Double? { check.read(name, properties[name]) { $0.number } }
    fields.altitude = number("altitude") ?? position.dropFirst(2).first?.doubleValue
    if fields.altitude == 0, properties["vertical_accuracy"]?.number.map({ $0 < 0 }) == true { fields.altitude = nil }
    fields.speed = number("speed")
    fields.course = number("course")
    fields.accuracy = number("horizontal_accuracy")
    if let device = properties["device_id"]?.stringValue, !device.isEmpty { fields.device = device }
    if let words = properties["motion"]?.arrayValue {
      fields.motion = FieldText.motion(words.compactMap(\.stringValue))
    }
    collector.take(fields, at: place(), check)
  }
}
