// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyAgent",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "TrendyAgent", targets: ["TrendyAgent"])],
  dependencies: [
    .package(path: "../TrendyArchive"), .package(path: "../TrendyInsights"), .package(path: "../TrendyInterchange"),
    .package(path: "../TrendyModels"),
    .package(path: "../TrendyPersistence"), .package(path: "../TrendyProtocols"), .package(path: "../TrendySync"),
    .package(path: "../TrendyTesting"), .package(path: "../TrendyTrips"),
  ],
  targets: [
    .target(
      name: "TrendyAgent",
      dependencies: [
        "TrendyArchive", "TrendyInsights", "TrendyInterchange", "TrendyModels", "TrendyPersistence", "TrendyProtocols",
        "TrendySync", "TrendyTrips",
      ]),
    .testTarget(
      name: "TrendyAgentTests",
      dependencies: [
        .product(name: "StorageTesting", package: "TrendyPersistence"), "TrendyAgent", "TrendyInsights",
        "TrendyInterchange", "TrendyModels",
        "TrendyPersistence", "TrendyProtocols", "TrendySync", "TrendyTesting", "TrendyTrips",
      ]),
  ]
)

// Same in every manifest: upcoming features that Swift 7 will enable.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` marks dynamic dispatch
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for modules in the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async functions run on the caller's actor
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type states whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }
