import Foundation
import Testing
import TrendyModels

@Suite("Changes of an event", .timeLimit(.minutes(10)))
struct EventChangesTests {
  private let coffee = EventType(id: "coffee", name: "Coffee", colorHex: "#6F4E37", iconName: "cup")
  private let noon = Date(timeIntervalSince1970: 1_704_110_400)

  @Test func `an event has a type and a start, and may have an end`() {
    let event = Event(id: "e", of: coffee, at: noon, until: noon + 60, notes: "oat", properties: ["cups": 2])
    #expect(
      event
        == Event(
          id: "e", eventTypeId: "coffee", timestamp: noon, endDate: noon + 60, notes: "oat",
          properties: ["cups": .number(2)]))
  }

  @Test("moving an event keeps its duration", arguments: [-86_400, 0, 1.5] as [TimeInterval])
  func moved(by seconds: TimeInterval) {
    var span = Event(id: "e", of: coffee, at: noon, until: noon + 60)
    span.move(to: noon + seconds)
    #expect(span.timestamp == noon + seconds && span.endDate == noon + seconds + 60)
    var moment = Event(id: "e", of: coffee, at: noon)
    moment.move(to: noon + seconds)
    #expect(moment.timestamp == noon + seconds && moment.endDate == nil)
  }

  @Test func `defaults fill missing properties of the event's own type only`() {
    func definition(_ key: String, of type: String = "coffee", default value: JSONValue?) -> PropertyDefinition {
      PropertyDefinition(
        id: key + type, eventTypeId: type, key: key, label: key, propertyType: .select, defaultValue: value)
    }
    var event = Event(id: "e", of: coffee, at: noon, properties: ["size": .select("large")])
    event.fillDefaults(from: [
      definition("size", default: "small"), definition("milk", default: "oat"), definition("sugar", default: nil),
      definition("tea", of: "tea", default: "green"),
    ])
    #expect(event.properties == ["size": .select("large"), "milk": .select("oat")])
  }

  @Test func `a duration property is set to the event's duration unless the user set another value`() {
    func definition(_ key: String, _ order: Int, _ type: PropertyType = .duration) -> PropertyDefinition {
      PropertyDefinition(
        id: key, eventTypeId: "coffee", key: key, label: key, propertyType: type, displayOrder: order)
    }
    let definitions = [definition("pause", 2), definition("length", 1), definition("count", 0, .number)]
    let short = Event(id: "e", of: coffee, at: noon, until: noon + 600)
    var event = short
    event.fillLength(from: definitions)
    #expect(event.properties == ["length": .duration(600)])
    // A property with the old duration is updated, but not one that the user set.
    let before = event
    event.endDate = noon + 1200
    event.fillLength(from: definitions, before: before)
    #expect(event.properties == ["length": .duration(1200)])
    event.properties["length"] = .duration(7)
    event.endDate = noon + 1800
    event.fillLength(from: definitions, before: before)
    #expect(event.properties == ["length": .duration(7)])
    var endless = Event(id: "e", of: coffee, at: noon)
    endless.fillLength(from: definitions, before: short)
    #expect(endless.properties.isEmpty)
  }

  @Test func `a live activity has an average speed once time has passed`() {
    #expect(LiveActivityState(distanceMeters: 900, durationSeconds: 60).averageSpeedMetersPerSecond == 15)
    #expect(LiveActivityState(distanceMeters: 0, durationSeconds: 0).averageSpeedMetersPerSecond == nil)
  }
}
