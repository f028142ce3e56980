#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import TrendyModels

/// One thing that a person did, and what it changed, so that it can be taken back and done again.
public struct UndoStep: Hashable, Sendable, Codable {
  /// An entity before and after: the fields that make it, or nothing.
  public struct Change: Hashable, Sendable, Codable {
    public var kind: MutationEntityType
    public internal(set) var id: String
    public var before: JSONValue?
    public var after: JSONValue?
  }

  /// What was done, in the words of the command: `split trip 0199f3c2`.
  public var label: String
  public var date: Date
  /// Empty where they lie in a file of their own: see ``UndoLog``.
  var changes: [Change]
  /// The name of that file.
  var file: String?
  /// Whether its changes have nothing to do with each other, so that some can be taken back without the others.
  var isDivisible: Bool?
  /// Ids of what was changed since, and so was left when the rest was taken back or done again.
  public internal(set) var left: [String] = []

  private enum CodingKeys: CodingKey {
    case label
    case date
    case changes
    case file
    case isDivisible
  }
}

/// The last things that were done, and those of them that were taken back, the latest last.
public struct UndoHistory: Hashable, Sendable, Codable {
  static let limit = 50

  public internal(set) var done: [UndoStep] = []
  /// What can be done again: the last of them was taken back last. Doing anything else empties it.
  public internal(set) var undone: [UndoStep] = []

  init() {}

  private enum Key: CodingKey {
    case done
    case undone
  }

  /// Reads the list of steps that earlier versions wrote as well.
  public init(from decoder: any Decoder) throws {
    if let steps = try? [UndoStep](from: decoder) {
      done = steps
      return
    }
    let members = try decoder.container(keyedBy: Key.self)
    done = try members.decode([UndoStep].self, forKey: .done)
    undone = try members.decode([UndoStep].self, forKey: .undone)
  }

  /// Names of the files of steps.
  var files: Set<String> { Set((done + undone).compactMap(\.file)) }
}

extension UndoStep {
  /// Gives entities their new ids.
  mutating func rename(_ names: [String: String]) {
    for index in changes.indices {
      if let new = names[changes[index].id] { changes[index].id = new }
      changes[index].before?.rename(names)
      changes[index].after?.rename(names)
    }
  }
}

extension UndoStep.Change {
  /// As in a file of its step.
  var value: JSONValue {
    var members: [String: JSONValue] = ["kind": .string(kind.rawValue), "id": .string(id)]
    members["before"] = before
    members["after"] = after
    return .object(members)
  }

  /// Reads back what ``value`` wrote.
  init?(_ value: JSONValue) {
    guard let members = value.objectValue, let id = members["id"]?.stringValue,
      let kind = members["kind"]?.stringValue.flatMap(MutationEntityType.init(rawValue:))
    else { return nil }
    self.init(kind: kind, id: id, before: members["before"], after: members["after"])
  }
}

extension JSONValue {
  /// Of an entity that refers to what has another id now.
  mutating func rename(_ names: [String: String]) {
    guard case .object(let members) = self else { return }
    self = .object(members.mapValues { value in value.stringValue.flatMap { names[$0] }.map { .string($0) } ?? value })
  }
}
