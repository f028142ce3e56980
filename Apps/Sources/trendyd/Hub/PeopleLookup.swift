import CommandSupport
import TrendyHub

/// Finds the persons of a hub by the words that a person types.
struct PeopleLookup {
  let accounts: HubAccounts

  /// Those who may come in and those who were removed.
  func everyone() throws -> [HubPerson] { try accounts.people() + accounts.removedPeople() }

  /// The names of everyone, by id.
  func names() throws -> [String: String] {
    Dictionary(try everyone().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
  }

  /// The person of that name among those who may come in.
  func person(called name: String) throws -> HubPerson {
    let people = try accounts.people()
    guard let named = people.first(where: { $0.name.lowercased() == name.lowercased() }) else {
      throw CommandError(
        "Nobody at this hub is called '\(name)'",
        hint: "There are: \(people.map(\.name).joined(separator: ", ")).", exit: .notFound)
    }
    return named
  }

  /// The one person who may come in.
  /// - Parameter use: the command that would say whose, where there are several.
  func onlyPerson(for use: String) throws -> HubPerson {
    let people = try accounts.people()
    guard people.count == 1 else {
      throw CommandError(
        "This hub has \(people.count) persons", hint: "Say whose device it is: \(use) --name NAME", exit: .usage)
    }
    return people[0]
  }

  /// By name or id.
  func person(_ word: String, among people: [HubPerson]) throws(CommandError) -> HubPerson {
    let found = people.filter { $0.id == word || $0.name.lowercased() == word.lowercased() }
    guard found.count == 1 else {
      throw CommandError(
        found.isEmpty ? "There is nobody called '\(word)' here" : "\(found.count) persons were called '\(word)'",
        hint: found.isEmpty
          ? "trendyd user list shows who there is." : "Their ids: \(found.map(\.id).joined(separator: ", "))",
        exit: .notFound)
    }
    return found[0]
  }
}

extension HubPerson {
  /// The members with which a document about a person begins.
  var members: [(String, JSONText)] { [("id", .string(id)), ("name", .string(name))] }
}
