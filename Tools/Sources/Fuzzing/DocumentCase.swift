import Foundation
import TrendyModels

/// Decodes fuzzed JSON as a wire type. Decoding must throw an ``/TrendyModels/APIError`` or return a value that another
/// round trip does not change.
enum DocumentCase {
  static func run(_ source: inout FuzzSource) throws -> String {
    let sample = source.pick(samples)
    let text = source.mutated(document: Array(sample.text.utf8), rarity: 6)
    let type = source.once(in: 10) ? source.pick(samples).type : sample.type
    return try read(type, text) ? "read" : "rejected"
  }

  private static func read<Value: WireValue>(_ type: Value.Type, _ text: [UInt8]) throws -> Bool {
    let value: Value
    do {
      value = try WireJSON.decode(type, from: Data(text), limits: JSONLimits(depth: 32, stringBytes: 262_144))
    } catch is APIError {
      return false
    } catch {
      throw Finding("\(type) throws \(Swift.type(of: error)) \(error) for \(String(decoding: text, as: UTF8.self))")
    }
    // Encoding cannot fail, because JSON has no infinite or NaN doubles.
    let written = try WireJSON.encode(value)
    let again = try WireJSON.encode(try WireJSON.decode(type, from: written))
    guard again == written else {
      throw Finding(
        "\(type) changes in a round trip: \(String(decoding: written, as: UTF8.self)) becomes \(String(decoding: again, as: UTF8.self))"
      )
    }
    return true
  }

  struct Sample: Sendable {
    let type: any (WireValue & Sendable).Type
    let text: String

    init(_ type: any (WireValue & Sendable).Type, _ text: String) {
      self.type = type
      self.text = text
    }
  }

  static let position =
    #""epoch":"a","epochs":[{"id":"a","first":1},{"id":"b","first":3}],"head":5,"now":1704067200000"#
  static let event =
    #"{"id":"e","user_id":"u","event_type_id":"t","timestamp":"2024-01-01T00:00:00.000Z","notes":"n","is_all_day":false,"properties":{"dose":{"type":"number","value":3}},"location_latitude":1.5,"location_longitude":-2,"created_at":"2024-01-01T00:00:00.000Z","later":[1,{"a":null}]}"#
  static let entry =
    #"{"id":4,"entity_type":"event","operation":"update","entity_id":"e","incarnation":1,"data":\#(event),"created_at":"2024-01-01T00:00:00.000Z","marks":{"*":[1,5,"d"],"notes":[4,6,"e"]}}"#
  static let mutation =
    #"{"id":"m","seq":1,"entity_type":"event","entity_id":"e","operation":"update","incarnation":0,"base":3,"fields":{"notes":{"value":"x","base":3,"stamp":7,"author":"d"}}}"#
  private static let problem =
    #"{"type":"urn:trendy:error:invalid","title":"t","status":400,"detail":"d","instance":"i","request_id":"r"}"#
  private static let type = #"{"id":"t","user_id":"u","name":"n","color":"c","icon":"i"}"#
  private static let definition =
    #"{"id":"p","event_type_id":"t","user_id":"u","key":"k","label":"l","property_type":"select","options":["a"],"default_value":{"type":"text","value":"x"},"display_order":2}"#
  private static let geofence =
    #"{"id":"g","user_id":"u","name":"n","latitude":1,"longitude":2,"radius":100,"is_active":true,"notify_on_entry":true,"notify_on_exit":false,"event_type_entry_id":"t"}"#
  private static let companion =
    #"{"id":"c","tracker_id":"a","tracker_name":"n","companion_id":"b","companion_name":"m","held_through":4,"acked_through":2,"removed":false}"#
  private static let notice = #"{"seq":4,"kind":"trip_started","at":"2024-01-01T00:00:00.000Z","data":{"id":"x"}}"#

  static let samples: [Sample] = [
    Sample(ChangeEntry.self, entry),
    Sample(ChangeFeedResponse.self, #"{"changes":[\#(entry)],"next_cursor":5,"has_more":true,\#(position)}"#),
    Sample(LatestCursorResponse.self, #"{"cursor":5,"epoch":"a"}"#),
    Sample(
      SnapshotHeader.self,
      #"{"cursor":5,"count":2,"last_seq":3,"next":"event.4.a","spans":[{"kind":"event","after":0,"through":4}],\#(position)}"#
    ),
    Sample(MutationEnvelope.self, mutation),
    Sample(
      PushRequest.self,
      #"{"device":"d","seen":3,"epoch":"a","last_seq":4,"acked_through":2,"mutations":[\#(mutation)]}"#),
    Sample(
      PushResponse.self,
      #"{"outcomes":[{"seq":1,"status":"merged","version":5,"lost":["notes"]},{"seq":2,"status":"refused","problem":\#(problem)},{"seq":3,"status":"try_later","retry_after_s":5}],\#(position)}"#
    ),
    Sample(FieldVersion.self, #"[4,6,"d"]"#),
    Sample(HubEpoch.self, #"{"id":"a","first":1}"#),
    Sample(
      SyncSummary.self,
      #"{"person":"p","kinds":{"event":{"count":3,"hash":"9f2c41d07be3a865"}},\#(position)}"#),
    Sample(ProblemDetails.self, problem),
    Sample(APIEvent.self, event), Sample(APIEventType.self, type), Sample(APIPropertyDefinition.self, definition),
    Sample(APIGeofence.self, geofence), Sample([APIEvent].self, "[\(event),\(event)]"),
    Sample(CreateEventRequest.self, event), Sample(UpdateEventRequest.self, event),
    Sample(CreateEventTypeRequest.self, type), Sample(UpdateEventTypeRequest.self, type),
    Sample(CreateGeofenceRequest.self, geofence), Sample(UpdateGeofenceRequest.self, geofence),
    Sample(CreatePropertyDefinitionRequest.self, definition), Sample(UpdatePropertyDefinitionRequest.self, definition),
    Sample(BatchCreateEventsRequest.self, #"{"events":[\#(event)]}"#),
    Sample(
      BatchCreateEventsResponse.self,
      #"{"created":[\#(event)],"errors":[{"index":1,"message":"m"}],"total":2,"success":1,"failed":1}"#),
    Sample(PairRequest.self, #"{"code":"1234-5678","device_name":"phone"}"#),
    Sample(PairResponse.self, #"{"token":"t","device_id":"d","person":"p","hub":"h"}"#),
    Sample(APICompanion.self, companion), Sample([APICompanion].self, "[\(companion)]"),
    Sample(CompanionNotice.self, notice),
    Sample(CompanionNoticesRequest.self, #"{"acked_through":3,"notices":[\#(notice)]}"#),
    Sample(CompanionNoticesResponse.self, #"{"notices":[\#(notice)],"has_more":false}"#),
    Sample(APIDevice.self, #"{"id":"d","name":"n","created_at":"2024-01-01T00:00:00.000Z","current":true}"#),
    Sample(
      LiveTripsResponse.self,
      #"{"now":"2024-01-01T00:00:00.000Z","trips":[{"id":"x","device_id":"d","device_name":"n","start":"2024-01-01T00:00:00.000Z","distance_m":9.5,"mode":"automotive","paused":false,"speed_mps":1.5,"fixed":"2024-01-01T00:00:00.000Z"}]}"#
    ),
    Sample(JSONValue.self, #"{"a":[1,2.5,-3e2,true,null,"x\u00e9\ud83d\ude00"],"b":{"c":{}}}"#),
  ]
}
