import Foundation
import TrendyPersistence

/// One process of a round. The process runs until it is killed, and exits earlier only if it detects a failure.
struct Role {
  static let all = Work.writers.map { "writer-\($0)" } + ["reader", "merger", "backup"]

  private let name: String
  private let folder: Folder

  init(_ name: String, folder: Folder) throws {
    guard Self.all.contains(name) else { throw UsageError(text: "unknown role '\(name)'") }
    self.name = name
    self.folder = folder
  }

  func run() throws {
    do {
      switch name {
      case "reader": try read()
      case "merger": try merge()
      case "backup": try backUp()
      default: try write(Int(name.dropFirst(7)) ?? 1)
      }
    } catch {
      try "\(error)".write(toFile: folder.errorFile(name), atomically: true, encoding: .utf8)
      throw error
    }
  }

  private func write(_ writer: Int) throws {
    let engine = try StorageEngine.open(directory: folder.store, options: Work.options)
    let ledger = open(folder.ledger(writer), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard ledger >= 0 else { throw Loss("cannot open the ledger: \(errno)") }
    var number = try Work.progress(of: writer, in: engine)
    // The process may have been killed between a save and its entry in the ledger.
    var noted = folder.acknowledged(writer)
    while true {
      while noted < number {
        var byte: UInt8 = 1
        guard Foundation.write(ledger, &byte, 1) == 1 else { throw Loss("cannot write to the ledger: \(errno)") }
        noted += 1
      }
      try Work.make(number, of: writer, in: engine)
      number += 1
    }
  }

  private func read() throws {
    let engine = try StorageEngine.open(directory: folder.store, options: Work.options)
    var expected = Work.writers.map { _ in Work.Expected() }
    for turn in 0... {
      try engine.refresh()
      for (index, writer) in Work.writers.enumerated() {
        try expected[index].advance(to: Work.progress(of: writer, in: engine), of: writer)
        try expected[index].compare(with: engine, of: writer)
      }
      guard turn % 8 == 7 else { continue }
      let findings = try StorageEngine.verify(directory: folder.store, options: Work.options).findings
      if let finding = findings.first { throw Loss("verification found: \(finding)") }
    }
  }

  private func merge() throws {
    let engine = try StorageEngine.open(directory: folder.store, options: Work.options)
    for turn in 0... {
      try engine.refresh()
      if try !engine.maintain(sealingAll: turn % 3 == 0) { usleep(500) }
    }
  }

  private func backUp() throws {
    // The backup process may start before the store exists.
    _ = try StorageEngine.open(directory: folder.store, options: Work.options)
    let store = StoreBackup.Store(name: "record", directory: folder.store)
    while true {
      try StoreBackup.write([store], to: folder.backup, madeMillis: 0, isReplacing: true, options: Work.options)
      usleep(20_000)
    }
  }
}
