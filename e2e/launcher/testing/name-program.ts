// Names the program that Node.js runs.
process.stderr.write(`runs ${process.argv[1]}\n`);
